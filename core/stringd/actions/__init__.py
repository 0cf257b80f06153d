"""What happens when an action is called: from the flags as typed to what the agent reads."""
