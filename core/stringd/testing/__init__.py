"""Test tools for stringd and its plugins: a real daemon on a real port, with its own directories."""
