"""Resolve paths, URIs and targets; read and write text files within the allowed paths."""
