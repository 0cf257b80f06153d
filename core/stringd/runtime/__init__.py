"""What a daemon is made of, without any transport."""
