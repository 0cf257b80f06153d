"""What survives a restart: the data directory, its databases and its JSON files."""
