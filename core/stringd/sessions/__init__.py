"""One user's topics: their queue, their state, their life, and the running of their commands."""
