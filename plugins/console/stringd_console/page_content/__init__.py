"""From records and texts of agents to safe HTML."""
