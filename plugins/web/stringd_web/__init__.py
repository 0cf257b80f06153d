"""The `web` topic type."""
