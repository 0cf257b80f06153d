"""The ways in which agents ask, beside the socket itself: a command of topics, and a subcommand."""
