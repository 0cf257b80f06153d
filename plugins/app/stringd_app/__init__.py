"""The `app` topic type."""
