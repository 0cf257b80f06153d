"""Show long pages in parts."""
