"""Registered users and their storage."""
