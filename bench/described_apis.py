"""Benchmarks of OpenAPI descriptions: a large one becomes an app, and is opened."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.navigator import new_navigator
from bench.rooms import measurement
from bench.table import Row, at_most
from bench.timing import milliseconds

if TYPE_CHECKING:
    from collections.abc import Iterator

_OPERATIONS = 1000
_SIZE = 10_000_000
_TAGS = 40
_FIRST_SECONDS = 2.0
_AGAIN_SECONDS = 0.05
_TICKS = os.sysconf("SC_CLK_TCK")


@measurement
def first() -> Iterator[Row]:
    """Installing and opening a description of 10 MB with 1,000 operations, and opening it again."""
    with new_navigator() as navigator:
        text = json.dumps(description(), indent=1)
        navigator.page.with_name("api.json").write_text(text, encoding="utf-8")
        process = navigator.server.process.pid
        before = _seconds_of(process)
        navigator.seconds("/install api.json --as large")
        navigator.seconds("/open app:large")
        opened = _seconds_of(process) - before
        again = min(navigator.seconds("/open app:large") for _ in range(5))
    yield at_most(
        1,
        opened / _FIRST_SECONDS,
        what=f"OpenAPI description, {len(text) / 1e6:.0f} MB, {_OPERATIONS} operations: installed and opened",
        measured=f"{milliseconds(opened)} of processor time",
        reference=f"{_FIRST_SECONDS:g} s",
    )
    yield at_most(
        1,
        again / _AGAIN_SECONDS,
        what="the same app opened again",
        measured=milliseconds(again),
        reference=milliseconds(_AGAIN_SECONDS),
    )


def description() -> dict[str, Any]:
    """Return a description of about 10 MB."""
    filling = "x" * (_SIZE // _OPERATIONS - 1500)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Large", "version": "1"},
        "servers": [{"url": "http://127.0.0.1:9"}],
        "components": {"schemas": {"Thing": {"type": "object", "properties": {"name": {"type": "string"}}}}},
        "paths": {
            f"/things/{number}/{{id}}": {"post": _operation(number, filling)} for number in range(_OPERATIONS)
        },
    }


def _operation(number: int, filling: str) -> dict[str, Any]:
    schema = {
        "allOf": [{"$ref": "#/components/schemas/Thing"}, {"properties": {"size": {"type": "integer"}}}]
    }
    return {
        "operationId": f"changeThing{number}",
        "summary": f"Change thing {number}",
        "description": "What a person would write about it, in two or three lines. " * 5,
        "tags": [f"tag {number % _TAGS}"],
        "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
        "requestBody": {"content": {"application/json": {"schema": schema}}},
        "responses": {"200": {"description": "ok", "content": {"application/json": {"example": filling}}}},
    }


def _seconds_of(process: int) -> float:
    """Return the processor time of a process and its descendants."""
    found = {int(it.name): it for it in Path("/proc").iterdir() if it.name.isdigit()}
    statuses = {number: _status(path) for number, path in found.items()}
    family, waiting = 0.0, [process]
    while waiting:
        current = waiting.pop()
        family += sum(map(int, statuses[current][11:15])) / _TICKS
        waiting += [number for number, it in statuses.items() if it and int(it[1]) == current]
    return family


def _status(path: Path) -> list[str]:
    try:
        return (path / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return []
