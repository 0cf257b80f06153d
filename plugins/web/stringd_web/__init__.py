"""The `web` topic type: web pages as documents."""
