"""The command-line programs `string` and `stringd`."""
