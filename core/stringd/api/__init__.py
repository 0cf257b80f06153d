"""The records and protocols that the core and its plugins exchange."""
