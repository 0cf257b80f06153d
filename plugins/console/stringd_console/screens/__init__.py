"""Screens of topics on their pages: drawn as HTML, and typed into."""
