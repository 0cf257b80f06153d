"""Search files below directories: with ripgrep where it is installed, else in a worker process."""
