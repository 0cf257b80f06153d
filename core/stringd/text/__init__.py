"""Text and wire formats: pure functions without I/O."""
