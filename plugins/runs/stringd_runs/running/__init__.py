"""Runs: one task each, the events that leave it, and all runs of the daemon."""
