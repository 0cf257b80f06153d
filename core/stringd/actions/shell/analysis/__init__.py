"""Which words of a command line are data and which are code: bash's grammar, and programs that evaluate."""
