"""Parameter values: types, placeholders, and the taint of secrets."""
