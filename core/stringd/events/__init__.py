"""Events: numbered, kept for a while, and delivered to observers and watchers."""
