"""The registered users, and their storage."""
