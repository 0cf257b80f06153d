"""Security schemes: which secrets a request needs, and how they get into it."""
