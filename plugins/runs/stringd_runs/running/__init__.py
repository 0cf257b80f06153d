"""Runs: preparing and executing them, their events, and all runs of the daemon."""
