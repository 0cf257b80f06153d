"""Calls of operations: what is sent, and what the answer shows."""
