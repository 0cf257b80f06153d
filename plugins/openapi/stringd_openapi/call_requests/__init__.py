"""Requests made of the values of a call: checked, serialized, encoded."""
