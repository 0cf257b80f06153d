"""Static taint analysis of shell commands: bash's grammar, and the programs that evaluate their arguments."""
