"""HTML as Markdown."""
