"""Benchmarks of events: publishing without watchers, and the cost of many watchers for commands."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bench.load import PROJECT, Job, Round, Target, cpu, measure, middle, p99, post, rate, ratio
from bench.memory import memory_of
from bench.rooms import measurement
from bench.servers import USER, Server, running
from bench.table import Row, at_most
from bench.targets import accepted, info
from bench.timing import milliseconds
from stringd.api.events import CommandBegun, CommandEnded
from stringd.events.bus import EventBus

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOPICS = 50
_WATCHERS = 200
_ROUNDS, _SECONDS = 5, 6.0
_PAIRS = 50_000
# By then, the buffers of recent events and of slow watchers are full.
_WARM_UP = 25.0
_MOST_GROWTH = 1.1


@measurement
def publishing() -> Iterator[Row]:
    """The two events of a command: their share of its CPU time, and a daemon that does not publish them."""
    with ExitStack() as servers:
        ours = servers.enter_context(_daemon())
        silent = servers.enter_context(_daemon("silent.py"))
        topics = [f"file:t{number}" for number in range(16)]
        targets = {"ours": info(ours, topics), "silent": info(silent, topics)}
        rounds = measure(Job(targets=targets))
    pair, whole = _pair_seconds(), middle(rounds["ours"], cpu)
    yield at_most(
        1.02,
        whole / (whole - pair),
        what="`/info`, no watchers: processor time of publishing its two events",
        measured=f"{pair * 1e6:.1f} µs",
        reference=f"{whole * 1e6:.0f} µs with, {(whole - pair) * 1e6:.0f} µs without",
    )
    yield Row(
        what="the same, compared with a daemon that publishes no events: processor time per answer",
        measured=f"{whole * 1e6:.0f} µs",
        reference=f"{middle(rounds['silent'], cpu) * 1e6:.0f} µs",
        ratio=ratio(rounds["ours"], rounds["silent"], cpu),
    )


def _pair_seconds() -> float:
    """Return the CPU time of publishing the two events of a command: the best of several runs."""
    bus = EventBus()
    common = {"user_id": USER, "topic": "file:main", "request_id": None, "label": "/info"}
    best = float("inf")
    for _ in range(7):
        start = time.process_time()
        for _ in range(_PAIRS):
            bus.publish_lazily(CommandBegun, 5, **common)
            bus.publish_lazily(CommandEnded, 5, **common, code=None, seconds=0.01, size=100)
        best = min(best, (time.process_time() - start) / _PAIRS)
    return best


@measurement
def watching() -> Iterator[Row]:
    """Topics that run printing commands, with 200 watchers, half of them slow, and without watchers."""
    with ExitStack() as servers:
        watched = servers.enter_context(_daemon("working.py"))
        alone = servers.enter_context(_daemon("working.py"))
        servers.enter_context(_watchers(watched))
        targets = {"watched": _working(watched), "alone": _working(alone)}
        measure(Job(targets={"watched": targets["watched"]}, connections=_TOPICS, rounds=1, seconds=_WARM_UP))
        before = memory_of(watched.process.pid)
        rounds = measure(Job(targets=targets, connections=_TOPICS, rounds=_ROUNDS, seconds=_SECONDS))
        after = memory_of(watched.process.pid)
    yield at_most(
        1.2,
        1 / ratio(rounds["watched"], rounds["alone"], rate),
        what=f"{_TOPICS} busy topics, {_WATCHERS} watchers, half of them slow: time per command",
        measured=_mean(rounds["watched"]),
        reference=f"{_mean(rounds['alone'])} without watchers",
    )
    yield at_most(
        1.2,
        ratio(rounds["watched"], rounds["alone"], p99),
        what="the same: 99th percentile",
        measured=milliseconds(middle(rounds["watched"], p99)),
        reference=f"{milliseconds(middle(rounds['alone'], p99))} without watchers",
    )
    yield Row(
        what="the same: processor time per answer",
        measured=f"{middle(rounds['watched'], cpu) * 1e6:.0f} µs",
        reference=f"{middle(rounds['alone'], cpu) * 1e6:.0f} µs without watchers",
        ratio=ratio(rounds["watched"], rounds["alone"], cpu),
    )
    yield at_most(
        _MOST_GROWTH,
        after.resident / before.resident,
        what=f"the same: memory after {_ROUNDS * _SECONDS:.0f} s of it",
        measured=str(after),
        reference=f"after {_WARM_UP:.0f} s {before}",
    )


def _mean(rounds: list[Round]) -> str:
    return milliseconds(_TOPICS / middle(rounds, rate))


def _working(server: Server) -> Target:
    bodies = [{"cmd": "/work", "topic": f"file:t{number}"} for number in range(_TOPICS)]
    return Target(
        pid=server.process.pid,
        port=server.port,
        requests=tuple(post(server.port, "/exec", body, x_user_id=USER) for body in bodies),
        expect='"ok":true',
    )


@contextmanager
def _daemon(plugin: str | None = None) -> Iterator[Server]:
    plugins = ("--plugins", str(PROJECT / "bench" / plugin)) if plugin else ()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "home")
        home.mkdir()
        with running("stringd", "--port", "0", "--data-dir", str(Path(folder, "data")), *plugins) as server:
            accepted(server.call("POST", "/users", {"id": USER, "home": str(home)}))
            yield server


@contextmanager
def _watchers(server: Server) -> Iterator[None]:
    half = str(_WATCHERS // 2)
    line = [sys.executable, "-m", "bench.watchers", str(server.port), half, half]
    pipe = subprocess.PIPE
    with subprocess.Popen(line, stdin=pipe, stdout=pipe, cwd=PROJECT) as process:
        try:
            assert process.stdout is not None
            if process.stdout.readline() != b"watching\n":
                raise RuntimeError("the watchers do not watch")
            yield
        finally:
            process.kill()
