"""Answers longer than a topic wants them: shown in part, kept as a whole."""
