"""Approval's pages in the console: the log, the grants and the policy."""
