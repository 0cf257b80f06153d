"""Plugins: their discovery and registration at the start, the catalogue of what they add, and calls of it."""
