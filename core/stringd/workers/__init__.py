"""Worker processes: started when there is work, confined, killed when a job exceeds its budget."""
