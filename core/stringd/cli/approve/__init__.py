"""`stringd approve`: answer questions as a person, in a terminal or by a script."""
