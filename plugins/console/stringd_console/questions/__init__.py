"""What waits for a person: each question as it must be seen before it is answered, and the answers."""
