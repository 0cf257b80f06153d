"""Register what this plugin adds to stringd."""
