"""Registered users and where they are kept."""
