"""Change one table of a TOML file; every other byte stays as it is."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stringd_mcp.client_setup.json_edit import InvalidFile

_HEADER = re.compile(r"\s*\[(?P<array>\[)?(?P<name>[^\[\]#]+)\]\]?\s*(?:#.*)?$")
_STRINGS = re.compile(r"\"\"\"|'''|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|#[^\n]*")
_BOM = "\ufeff"
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def parse_toml(text: str) -> Any:
    """Return the value of a text."""
    try:
        return tomllib.loads(text.removeprefix(_BOM))
    except tomllib.TOMLDecodeError as error:
        raise InvalidFile(str(error)) from None


def with_toml_entry(text: str, path: Sequence[str], entry: Mapping[str, Any]) -> str:
    """Return the text with a table at a path of names, in place of one that is there."""
    parse_toml(text)
    if text.startswith(_BOM):
        return _BOM + with_toml_entry(text.removeprefix(_BOM), path, entry)
    newline = "\r\n" if "\r\n" in text else "\n"
    table = newline.join(_table(path, entry)) + newline
    lines = text.splitlines(keepends=True)
    own = [place for place, name in _headers(lines) if name[: len(path)] == tuple(path)]
    if not own:
        gap = "" if not text.strip() else newline if text.endswith(("\n", "\r")) else newline * 2
        return f"{text}{gap}{table}"
    starts = sorted(place for place, _ in _headers(lines))
    kept, is_written = [], False
    for first, last in zip([0, *starts], [*starts, len(lines)], strict=True):
        if first in own and first != last:
            kept += [] if is_written else [table, *_blank_end(lines[first:last])]
            is_written = True
        else:
            kept += lines[first:last]
    return "".join(kept)


def _table(path: Sequence[str], entry: Mapping[str, Any]) -> Iterator[str]:
    yield f"[{'.'.join(map(_key, path))}]"
    for name, value in entry.items():
        yield f"{_key(name)} = {json.dumps(value, ensure_ascii=False)}"


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _headers(lines: Sequence[str]) -> list[tuple[int, tuple[str, ...]]]:
    """Return the lines that begin tables, with the names of the tables."""
    found, quote, depth = [], "", 0
    for place, line in enumerate(lines):
        header = _HEADER.match(line.rstrip("\r\n")) if not quote and not depth else None
        if header:
            found.append((place, _names(header["name"])))
        else:
            quote, depth = _open_at_end(line, quote, depth)
    return found


def _names(header: str) -> tuple[str, ...]:
    found: Any = tomllib.loads(f"{header} = 0")
    names = []
    while isinstance(found, dict):
        name, found = next(iter(found.items()))
        names.append(name)
    return tuple(names)


def _open_at_end(line: str, quote: str, depth: int) -> tuple[str, int]:
    """Return the multi-line string and the number of arrays that are open at the end of a line."""
    place = 0
    while place < len(line):
        if quote:
            end = line.find(quote, place)
            if end < 0:
                return quote, depth
            place, quote = end + 3, ""
            continue
        found = _STRINGS.match(line, place)
        if found and found[0] in {'"""', "'''"}:
            quote = found[0]
        depth += (line[place] == "[") - (line[place] == "]") if not found else 0
        place = found.end() if found else place + 1
    return quote, max(depth, 0)


def _blank_end(lines: Sequence[str]) -> Sequence[str]:
    """Return the blank lines and comments that end a table, which belong to the next one."""
    place = len(lines)
    while place > 1 and (not lines[place - 1].strip() or lines[place - 1].lstrip().startswith("#")):
        place -= 1
    return lines[place:]
