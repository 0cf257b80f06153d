"""Messages of the WebSocket: decoded and checked, encoded; without I/O."""
