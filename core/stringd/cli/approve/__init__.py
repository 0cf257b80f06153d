"""`stringd approve`: a terminal or script in which a person answers questions."""
