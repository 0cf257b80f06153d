"""What an action requires before it can run."""
