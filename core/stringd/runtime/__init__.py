"""The daemon without any transport."""
