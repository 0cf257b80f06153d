"""Resolve paths, URIs and targets, and read and write text files inside the boundary."""
