"""Flows: the order in which the agents of a strategy are called."""
