"""The files in which the histories of runs are stored."""
