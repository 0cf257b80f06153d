"""The subcommands `stringd run` and `stringd runs`."""
