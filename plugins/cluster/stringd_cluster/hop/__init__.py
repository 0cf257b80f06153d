"""Requests that nodes pass to each other."""
