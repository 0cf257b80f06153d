"""Benchmarks of documents: opening new and cached ones, and editing a block of a large one."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from statistics import median
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from bench.load import Job, Round, Target, cpu, measure, middle, post, rate, ratio
from bench.navigator import OK, OPEN, PAGE, TOPIC, DocumentNavigator, new_navigator
from bench.rooms import measurement
from bench.servers import USER, reference
from bench.table import Row, at_least, at_most
from bench.targets import accepted
from bench.timing import milliseconds

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bench.servers import Server

_KB, _MB = 1000, 1_000_000
_CLIENTS = 16
# The time of a sync varies more than anything else.
_OPENED, _EDITED = 5, 31
# The first edits after opening learn where everything is.
_WARM = 3
# How often each size is opened to see how the cost grows: about as long for each, the largest once.
_SIZES = {10 * _KB: 20, 100 * _KB: 7, _MB: 3, 10 * _MB: 1}
# What a size may cost per megabyte, beside the smallest, and still count as linear.
_LINEAR = 2


@measurement
def large() -> Iterator[Row]:
    """Opening a large document, compared with a bare parse, and opening it again unchanged."""
    with new_navigator() as navigator:
        seen = [_opened(navigator) for _ in range(_OPENED + 1)][1:]
    first, again, bare = (median(each) for each in zip(*seen, strict=True))
    yield at_most(
        1.5,
        median(opened / parsed for opened, _, parsed in seen),
        what="`/open` of a new document, 1 MB",
        measured=milliseconds(first),
        reference=f"bare parse {milliseconds(bare)}",
    )
    yield at_least(
        20,
        median(opened / reopened for opened, reopened, _ in seen),
        what="`/open` again, unchanged: times faster",
        measured=milliseconds(again),
        reference=f"first time {milliseconds(first)}",
    )


def _opened(navigator: DocumentNavigator) -> tuple[float, float, float]:
    first = navigator.first_open(_MB)
    return first, navigator.seconds(OPEN), _bare_parse(navigator.page.read_text(encoding="utf-8"))


def _bare_parse(text: str) -> float:
    parser = MarkdownIt("commonmark").enable("table")
    start = time.perf_counter()
    parser.parse(text)
    return time.perf_counter() - start


@measurement
def page() -> Iterator[Row]:
    """`/open` of a cached page, compared with an app that sends the same bytes."""
    with ExitStack() as servers:
        navigator = servers.enter_context(new_navigator())
        navigator.first_open(5 * _KB)
        answer = accepted(navigator.server.call("POST", "/exec", {"cmd": OPEN, "topic": TOPIC}))
        bare = servers.enter_context(reference("bench.bare", answer))
        targets = {"stringd": _open_target(navigator.server), "bare": _open_target(bare)}
        rounds = measure(Job(targets=targets, rounds=5, seconds=1.0))
    yield from _beside_bare(rounds["stringd"], rounds["bare"])


def _open_target(server: Server) -> Target:
    bodies = [{"cmd": OPEN, "topic": f"file:t{number}"} for number in range(_CLIENTS)]
    requests = tuple(post(server.port, "/exec", body, x_user_id=USER) for body in bodies)
    return Target(pid=server.process.pid, port=server.port, requests=requests, expect=OK)


def _beside_bare(ours: list[Round], bare: list[Round]) -> Iterator[Row]:
    yield at_least(
        0.35,
        ratio(ours, bare, rate),
        what="`/open` of a page, 5 KB, 16 connections: answers/s",
        measured=f"{middle(ours, rate):,.0f}",
        reference=f"bare app {middle(bare, rate):,.0f}",
    )
    yield Row(
        what="the same: processor time per answer",
        measured=f"{middle(ours, cpu) * 1e6:.0f} µs",
        reference=f"bare app {middle(bare, cpu) * 1e6:.0f} µs",
        ratio=ratio(ours, bare, cpu),
    )


@measurement
def edit() -> Iterator[Row]:
    """Editing blocks of a large file, in a row and right after opening, compared with a bare rewrite."""
    with new_navigator() as navigator:
        navigator.first_open(_MB)
        series = [_edited_beside(navigator, run) for run in range(_EDITED + _WARM)][_WARM:]
        opened = [_edited_when_opened(navigator) for _ in range(_EDITED)]
    yield from _edit_rows("`/edit` of blocks of a file, 1 MB, in a row", series)
    yield from _edit_rows("`/edit` of a block right after `/open`, 1 MB", opened)


def _edit_rows(what: str, seen: list[tuple[float, float, float]]) -> Iterator[Row]:
    measured = milliseconds(median(ours for ours, _, _ in seen))
    yield at_most(
        3,
        median(ours / whole for ours, _, whole in seen),
        what=what,
        measured=measured,
        reference=f"new file, fsync, rename {milliseconds(median(whole for _, _, whole in seen))}",
    )
    yield Row(
        what="the same, compared with a rewrite in place",
        measured=measured,
        reference=f"read, write, fsync {milliseconds(median(in_place for _, in_place, _ in seen))}",
        ratio=median(ours / in_place for ours, in_place, _ in seen),
    )


def _edited_when_opened(navigator: DocumentNavigator) -> tuple[float, float, float]:
    navigator.first_open(_MB)
    return _edited_beside(navigator, 0)


def _edited_beside(navigator: DocumentNavigator, number: int) -> tuple[float, float, float]:
    return _edited(navigator, number), _rewritten(navigator.page), _replaced(navigator.page)


def _edited(navigator: DocumentNavigator, number: int) -> float:
    # In the middle of the file: neither its first lines nor its last.
    return navigator.seconds(f"/edit {PAGE}#block-{700 + number}\n- edited for the time {time.time_ns()}")


def _rewritten(page: Path) -> float:
    start = time.perf_counter()
    with page.open("r+b") as file:
        data = file.read()
        file.seek(0)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    return time.perf_counter() - start


def _replaced(page: Path) -> float:
    new = page.with_name("new.md")
    start = time.perf_counter()
    with new.open("wb") as file:
        file.write(page.read_bytes())
        file.flush()
        os.fsync(file.fileno())
    new.replace(page)
    directory = os.open(page.parent, os.O_RDONLY)
    os.fsync(directory)
    os.close(directory)
    return time.perf_counter() - start


@measurement
def growth() -> Iterator[Row]:
    """Time per megabyte for documents of several sizes, each compared with the smallest."""
    smallest = min(_SIZES)
    with new_navigator() as navigator:
        navigator.first_open(smallest)
        for size in _SIZES:
            beside, cost = _cost(navigator, smallest), _cost(navigator, size)
            yield at_most(
                _LINEAR,
                cost / beside,
                what=f"`/open` of a new document, {size // _KB:,} KB: per MB",
                measured=f"{cost:.2f} s",
                reference=f"{smallest // _KB} KB {beside:.2f} s",
            )


def _cost(navigator: DocumentNavigator, size: int) -> float:
    return median(navigator.first_open(size) for _ in range(_SIZES[size])) / (size / _MB)
