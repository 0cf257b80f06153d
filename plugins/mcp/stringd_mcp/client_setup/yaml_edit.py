"""Change one entry of a YAML file; every other byte stays as it is."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from stringd_mcp.client_setup.json_edit import InvalidFile

_STEP = 2


def parse_yaml(text: str) -> Any:
    """Return the value of a text; an empty one is an empty mapping."""
    try:
        return yaml.safe_load(text) or {}
    except (yaml.YAMLError, RecursionError) as error:
        raise InvalidFile(" ".join(str(error).split())) from None


def with_yaml_entry(text: str, path: Sequence[str], entry: Mapping[str, Any]) -> str:
    """Return the text with an entry at a path of names; mappings on the way are added if they are missing."""
    if not parse_yaml(text):
        end = "" if not text or text.endswith("\n") else "\n"
        return f"{text}{end}{_written(path, entry, 0)}"
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    assert node is not None
    for depth, name in enumerate(path):
        pairs = _pairs(node, path[:depth])
        if name not in pairs:
            return _added(text, node, path[depth:], entry)
        key, node = pairs[name]
    return _replaced(text, key, node, path[-1], entry)


def _pairs(node: yaml.Node, path: Sequence[str]) -> dict[str, tuple[yaml.Node, yaml.Node]]:
    is_empty = isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"
    if not isinstance(node, yaml.MappingNode) or node.flow_style or is_empty:
        raise InvalidFile(f"`{'.'.join(path) or 'the file'}` is no mapping with one line per entry")
    return {str(key.value): (key, value) for key, value in node.value}


def _added(text: str, node: yaml.Node, path: Sequence[str], entry: Mapping[str, Any]) -> str:
    """Add an entry at the end of a mapping."""
    indent = node.start_mark.column
    place = _end_of(text, node)
    line_end = "" if text[:place].endswith("\n") else "\n"
    return f"{text[:place]}{line_end}{_written(path, entry, indent)}{text[place:]}"


def _replaced(text: str, key: yaml.Node, node: yaml.Node, name: str, entry: Mapping[str, Any]) -> str:
    start = key.start_mark.index - key.start_mark.column
    place = _end_of(text, node)
    return f"{text[:start]}{_written([name], entry, key.start_mark.column)}{text[place:]}"


def _end_of(text: str, node: yaml.Node) -> int:
    """Return the place behind the last line of a node that is not blank or a comment."""
    lines = text[: node.end_mark.index].splitlines(keepends=True)
    while lines and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        lines.pop()
    place = len("".join(lines))
    if not text[:place].endswith("\n"):
        end = text.find("\n", place)
        place = len(text) if end < 0 else end + 1
    return place


def _written(path: Sequence[str], entry: Mapping[str, Any], indent: int) -> str:
    lines = []
    for name in path:
        lines.append(f"{' ' * indent}{_key(name)}:")
        indent += _STEP
    for name, value in entry.items():
        lines.append(f"{' ' * indent}{_key(name)}: {json.dumps(value, ensure_ascii=False)}")
    return "".join(f"{it}\n" for it in lines)


def _key(name: str) -> str:
    return (
        name if name.replace("-", "").replace("_", "").isalnum() and not name.isdigit() else json.dumps(name)
    )
