"""What becomes of an action's answer: rendered text, remembered names and saved files."""
