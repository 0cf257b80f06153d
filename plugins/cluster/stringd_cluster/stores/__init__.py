"""What a daemon keeps, in tables of the database."""
