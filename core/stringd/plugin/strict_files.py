"""Files that people write, read strictly: what is wrong is refused with its line."""

from __future__ import annotations

from stringd.text.located_values import FileInvalid, Items, Members, Node, Scalar, Value, shown

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


def read_yaml(text: str, deepest: int) -> Node | None:
    """Return the value of a YAML document, None if it is empty, or raise `FileInvalid`.

    Anchors, tags, further documents and more levels than `deepest` are refused.
    """
    # Plugins use nodes when they are loaded, long before anything is parsed.
    from stringd.text import strict_yaml

    return strict_yaml.read_yaml(text, deepest)
