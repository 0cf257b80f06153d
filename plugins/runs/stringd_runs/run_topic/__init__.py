"""The topic type `run` and its commands."""
