"""Plugins: discovery, registration at startup, the catalogue of their additions, and calls of them."""
