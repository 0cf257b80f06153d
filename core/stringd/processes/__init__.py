"""Child processes: process groups, process trees, shell commands and their environment."""
