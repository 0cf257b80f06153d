"""The `file` topic type."""
