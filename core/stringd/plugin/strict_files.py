"""Files that people write, read strictly: what is wrong is refused with its line."""

from __future__ import annotations

from stringd.text.located_values import FileInvalid, Items, Members, Node, Scalar, Value, shown
from stringd.text.strict_yaml import read_yaml

__all__ = [
    "FileInvalid",
    "Items",
    "Members",
    "Node",
    "Scalar",
    "Value",
    "read_yaml",
    "shown",
]
