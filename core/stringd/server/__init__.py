"""The HTTP server: the runtime over HTTP on loopback."""
