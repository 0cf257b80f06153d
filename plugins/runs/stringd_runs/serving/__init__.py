"""The WebSocket: connections, their outboxes, and how each message is handled."""
