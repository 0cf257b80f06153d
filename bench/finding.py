"""Benchmarks of searching files, compared with ripgrep on Python's documentation."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from bench.navigator import new_navigator
from bench.rooms import measurement
from bench.table import Row, at_least
from bench.timing import compare, milliseconds
from stringd.file_search.file_query import FileQuery, SearchLimits
from stringd.file_search.ripgrep import program
from stringd.file_search.scan import scan

if TYPE_CHECKING:
    from collections.abc import Iterator

_TREE = Path("/usr/share/doc/python3/html")
_TEXTS = {"a rare word": "groupby", "a frequent word": "python"}
_LIMITS = SearchLimits(files=30, places=50, seconds=3600.0)
_ROUNDS = 5


@measurement
def files() -> Iterator[Row]:
    """`/find text path` beside `rg`, and what Python makes of the same where that is not installed."""
    ripgrep, tree = program(), str(_TREE.resolve())
    if ripgrep is None or not _TREE.is_dir():
        yield Row(what="`/find` in files", measured="neither ripgrep nor python3-doc may be missing")
        return
    for what, text in _TEXTS.items():
        yield _beside_ripgrep(what, text, ripgrep, tree)
        yield Row(what="the same without ripgrep", measured=milliseconds(_scanned(text, tree)))


def _beside_ripgrep(what: str, text: str, ripgrep: str, tree: str) -> Row:
    with new_navigator("--access", "full") as navigator:
        found = compare(
            lambda: navigator.seconds(f"/find {text} {tree}"),
            lambda: _seconds([ripgrep, "--ignore-case", "--line-number", text, tree]),
        )
    return at_least(
        0.5,
        1 / found.ratio,
        what=f"`/find` of {what} in 70 MB of files: speed",
        measured=milliseconds(found.measured),
        reference=f"ripgrep {milliseconds(found.reference)}",
    )


def _seconds(line: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(line, check=True, capture_output=True)
    return time.perf_counter() - start


def _scanned(text: str, tree: str) -> float:
    query, seconds = FileQuery(text=text, roots=(tree,)), []
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        scan(query, _LIMITS)
        seconds.append(time.perf_counter() - start)
    return median(seconds)
