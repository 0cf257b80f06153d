"""From a URI to what an agent reads."""
