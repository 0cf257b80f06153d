"""What the actions of a document may use: variables, secrets and coded functions."""
