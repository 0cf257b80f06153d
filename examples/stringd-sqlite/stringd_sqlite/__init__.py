"""SQLite databases as topics of stringd."""
