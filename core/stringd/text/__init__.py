"""The wire formats: pure functions, text or bytes in and out."""
