"""CLI actions: run a command line in which values stay data."""
