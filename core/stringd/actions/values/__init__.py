"""Parameter values: their types, the placeholders that take them, and which of them hold secrets."""
