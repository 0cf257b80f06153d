"""The names of the log's files: the one that is written, and those that were put aside, by number."""

from __future__ import annotations

import re

from stringd.plugin.files import Directory

FILE = "audit.jsonl"
_ROTATED = re.compile(r"audit\.(?P<number>[1-9][0-9]{0,8})\.jsonl")


def rotated_files(folder: Directory) -> list[str]:
    """Return the names of the files that were put aside, the oldest first."""
    with folder.entries() as entries:
        return sorted((it.name for it in entries if _ROTATED.fullmatch(it.name)), key=_number)


def next_rotated(folder: Directory) -> str:
    """Return the name for the next file to put aside."""
    numbers = map(_number, rotated_files(folder))
    return f"audit.{max(numbers, default=0) + 1}.jsonl"


def _number(name: str) -> int:
    found = _ROTATED.fullmatch(name)
    return int(found["number"]) if found else 0
