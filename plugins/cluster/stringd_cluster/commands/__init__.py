"""The subcommands `stringd cluster` and `stringd token`."""
