"""The `bash` topic type."""
