"""Events: numbered, kept for a while, and handed to observers and watchers."""
