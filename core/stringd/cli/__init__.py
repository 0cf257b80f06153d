"""The programs `string` and `stringd`."""
