"""The environment of a document's actions: variables, secrets and functions coded in Python."""
