"""Providers of models, and what all calls of models have in common."""
