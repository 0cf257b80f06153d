"""Parsers for RSS, Atom and JSON Feed, and the page made of a feed."""
