"""Questions to a person or an agent: who may answer them, and which are open."""
