"""Providers of models, and what all model calls have in common."""
