"""One loopback daemon that gives any AI agent one interface: topics, commands, Markdown."""

__version__ = "0.1.0"
