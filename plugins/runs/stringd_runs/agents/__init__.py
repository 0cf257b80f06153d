"""Agents: models with tools, people, and code."""
