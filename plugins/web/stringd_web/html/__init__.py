"""HTML as an agent reads it."""
