"""Child processes: supervisors, process groups and trees, shell commands and their environment."""
