"""The screen of a bash topic as the console shows it; imported only where the console is loaded."""
