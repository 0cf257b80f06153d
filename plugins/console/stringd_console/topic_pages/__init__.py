"""The page of all topics, and the page of each: what was sent to it and what it answers."""
