"""Persistent state: the data directory, its databases and its JSON files."""
