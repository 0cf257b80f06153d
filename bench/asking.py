"""Benchmarks of questions: listing as many as can be open."""

from __future__ import annotations

import json
import time
from statistics import median
from typing import TYPE_CHECKING

from bench.load import PROJECT
from bench.pending import NUMBER
from bench.rooms import measurement
from bench.servers import Server, daemon
from bench.table import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

_GOAL = 0.05
_ROUNDS = 21
_READY_SECONDS = 20.0


@measurement
def listing() -> Iterator[Row]:
    """The list of 1,000 open questions over HTTP, on new connections."""
    with daemon("--plugins", str(PROJECT / "bench" / "pending.py")) as server:
        _await_questions(server)
        seconds = median(_listing_seconds(server) for _ in range(_ROUNDS))
    yield Row(
        what=f"`GET /questions` with {NUMBER:,} open questions",
        measured=f"{seconds * 1e3:.0f} ms",
        goal=f"under {_GOAL * 1e3:.0f} ms",
        met=seconds < _GOAL,
    )


def _await_questions(server: Server) -> None:
    deadline = time.monotonic() + _READY_SECONDS
    while len(_listed(server)) < NUMBER:
        if time.monotonic() > deadline:
            raise RuntimeError(f"only {len(_listed(server))} questions are open")
        time.sleep(0.05)


def _listing_seconds(server: Server) -> float:
    start = time.perf_counter()
    listed = server.call("GET", "/questions").body
    seconds = time.perf_counter() - start
    if listed.count(b'"asked_by"') != NUMBER:
        raise RuntimeError("the list is not complete")
    return seconds


def _listed(server: Server) -> list[object]:
    questions: list[object] = json.loads(server.call("GET", "/questions").body)["questions"]
    return questions
