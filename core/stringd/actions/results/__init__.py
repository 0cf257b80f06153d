"""Results of an action: rendered text, remembered names and saved files."""
