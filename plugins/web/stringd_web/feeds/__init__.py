"""Feeds as lists of their entries."""
