"""Edit documents: whole files, blocks and line ranges."""
