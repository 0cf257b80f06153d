"""The records and protocols that the kernel and its plugins hand one another."""
