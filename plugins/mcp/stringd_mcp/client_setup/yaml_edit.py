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
    if "\r\n" in text:
        # Line ends are put back, so that nothing below has to tell them apart.
        plain = with_yaml_entry(text.replace("\r\n", "\n"), path, entry)
        return plain.replace("\n", "\r\n")
    parse_yaml(text)
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    if node is None or _is_empty(node):
        return _begun(text, node, path, entry)
    key = node
    for depth, name in enumerate(path):
        if depth and _is_empty(node):
            return _filled(text, node, _written(path[depth:], entry, key.start_mark.column + _STEP))
        pairs = _pairs(node, path[:depth])
        if name not in pairs:
            return _added(text, node, path[depth:], entry)
        key, node = pairs[name]
    return _replaced(text, key, node, path[-1], entry)


def _is_empty(node: yaml.Node) -> bool:
    """Whether a node is null or `{}`, which are both written as nothing when an entry is added."""
    is_null = isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"
    return is_null or (isinstance(node, yaml.MappingNode) and node.flow_style and not node.value)


def _begun(text: str, node: yaml.Node | None, path: Sequence[str], entry: Mapping[str, Any]) -> str:
    """Write the first entry of a file that has none, behind its comments."""
    kept = text if node is None else text[: node.start_mark.index] + text[node.end_mark.index :].lstrip()
    end = "" if not kept or kept.endswith("\n") else "\n"
    return f"{kept}{end}{_written(path, entry, 0)}"


def _filled(text: str, node: yaml.Node, written: str) -> str:
    """Put an entry in place of an empty value; a comment behind that stays."""
    last = text.find("\n", node.end_mark.index)
    last = len(text) if last < 0 else last
    behind = text[node.end_mark.index : last].rstrip()
    return f"{text[: node.start_mark.index].rstrip()}{behind}\n{written}{text[last + 1 :]}"


def _pairs(node: yaml.Node, path: Sequence[str]) -> dict[str, tuple[yaml.Node, yaml.Node]]:
    if not isinstance(node, yaml.MappingNode) or node.flow_style:
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
