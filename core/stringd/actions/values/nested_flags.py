"""JSON values that flags build up: `--key.sub v`, `--key.list[0] v`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from stringd.text.formatting import counted

Path: TypeAlias = tuple[str | int, ...]

_NAME = re.compile(r"[^\W\d][\w-]*")
_STEP = re.compile(r"\.(?P<key>[^.\[\]]+)|\[(?P<index>\d{1,6})\]")
_GAP = object()
DEEPEST = 100
"""How many levels a value may have: enough for any, and little enough for functions that call themselves."""


class FlagText(str):
    """A text that was typed as the value of a flag, which may stand for a number or another JSON value."""

    __slots__ = ()


class PathConflict(ValueError):
    """Flags that cannot be parts of one value."""


def split_path(flag: str) -> tuple[str, Path] | None:
    """Split `name.sub[0]` into the parameter's name and the path in its value; None if it is no such path."""
    named = _NAME.match(flag)
    if named is None:
        return None
    steps: list[str | int] = []
    position = named.end()
    while found := _STEP.match(flag, position):
        steps.append(found["key"] if found["index"] is None else int(found["index"]))
        position = found.end()
    return (named[0], tuple(steps)) if position == len(flag) and steps else None


def path_text(name: str, path: Path) -> str:
    """Return a path as it is typed."""
    return name + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)


def merged(name: str, bases: Sequence[object], leaves: Iterable[tuple[Path, object]]) -> object:
    """Return the value that whole values and parts of it make up together; raise `PathConflict`.

    A path that occurs several times has an array of its values.
    """
    by_path: dict[Path, list[object]] = {}
    for path, value in leaves:
        by_path.setdefault(path, []).append(value)
    if any(map(is_too_deep, bases)) or any(len(path) > DEEPEST for path in by_path):
        raise PathConflict(f"more than {DEEPEST} levels")
    root: list[object] = [_GAP]
    for base in bases:
        _put(root, (0,), base, name)
    for path, values in by_path.items():
        _refuse_far_index(path, name, len(by_path) + _longest_array(bases))
        _put(root, (0, *path), values[0] if len(values) == 1 else values, name)
    _refuse_gaps(root[0], name)
    return root[0]


def is_too_deep(value: object) -> bool:
    """Return whether a value has more levels than a value may have."""
    waiting = [(value, 0)]
    while waiting:
        node, depth = waiting.pop()
        if depth > DEEPEST:
            return True
        waiting += [(child, depth + 1) for child in _children(node)]
    return False


def _children(node: object) -> Iterable[object]:
    return node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()


def _longest_array(values: Iterable[object]) -> int:
    longest, waiting = 0, [*values]
    while waiting:
        node = waiting.pop()
        longest = max(longest, len(node)) if isinstance(node, list) else longest
        waiting += _children(node)
    return longest


def _refuse_far_index(path: Path, name: str, most: int) -> None:
    """Refuse an index that the given elements cannot reach, before room is made for all those below it."""
    far = next((depth for depth, step in enumerate(path) if isinstance(step, int) and step >= most), None)
    if far is not None:
        raise PathConflict(f"--{path_text(name, path[: far + 1])} without the elements before it")


def _put(root: list[object], path: Path, value: object, name: str) -> None:
    """Put a value at a path, in containers that are created as far as they are missing."""
    node: object = root
    for depth, step in enumerate(path):
        child = _child(node, step, name, path[1:depth])
        if depth + 1 == len(path):
            _set(node, step, _joined(child, value, path_text(name, path[1:])))
        elif child is _GAP:
            child = [] if isinstance(path[depth + 1], int) else {}
            _set(node, step, child)
        node = child


def _child(node: object, step: str | int, name: str, path: Path) -> object:
    if isinstance(node, list) and isinstance(step, int):
        return node[step] if step < len(node) else _GAP
    if isinstance(node, dict) and isinstance(step, str):
        return node.get(step, _GAP)
    wanted = "an array" if isinstance(step, int) else "an object"
    raise PathConflict(f"--{path_text(name, path)} twice, once as {wanted}")


def _set(node: object, step: str | int, value: object) -> None:
    if isinstance(node, dict):
        node[step] = value
    elif isinstance(node, list) and isinstance(step, int):
        node += [_GAP] * (step + 1 - len(node))
        node[step] = value


def _joined(before: object, value: object, where: str) -> object:
    """Return two objects as one; refuse a second value for the same place."""
    if before is _GAP:
        return value
    if isinstance(before, dict) and isinstance(value, dict):
        for key, part in value.items():
            before[key] = _joined(before.get(key, _GAP), part, f"{where}.{key}")
        return before
    raise PathConflict(f"--{where} twice")


def _refuse_gaps(value: object, name: str) -> None:
    waiting: list[tuple[object, Path]] = [(value, ())]
    while waiting:
        node, path = waiting.pop()
        if isinstance(node, list) and _GAP in node:
            first = path_text(name, (*path, node.index(_GAP)))
            raise PathConflict(f"{counted(len(node), 'element')} without --{first}")
        children: Iterable[tuple[str | int, object]] = ()
        if isinstance(node, Mapping):
            children = node.items()
        elif isinstance(node, list):
            children = enumerate(node)
        waiting += [(child, (*path, step)) for step, child in children]
