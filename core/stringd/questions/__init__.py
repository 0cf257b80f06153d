"""Questions to a person or an agent, and who may answer them."""
