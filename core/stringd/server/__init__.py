"""The kernel over HTTP on loopback."""
