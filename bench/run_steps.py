"""Benchmarks of runs: what a step costs, with its history on disk, and what finished runs leave in memory."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from websockets.sync.client import ClientConnection, connect

from bench.memory import memory_of
from bench.rooms import measurement
from bench.servers import Server, daemon
from bench.table import Row
from bench.timing import RUNS, milliseconds

if TYPE_CHECKING:
    from collections.abc import Iterator

_STEPS = 1000
_STEP_GOAL = 0.002
_FINISHED = 1000
_MIB = 1024
_KEPT_GOAL = 5.0
_PATIENCE = 60.0
_ENDS = frozenset({"strategy_completed", "strategy_error"})


@measurement
def steps() -> Iterator[Row]:
    """A run of 1,000 instant steps for one client; each call is on disk before it is said to be done."""
    with daemon() as server, _connected(server) as socket:
        path = _strategy(server, ["a", "b"] * (_STEPS // 2))
        seconds = sorted(_run(socket, path) for _ in range(RUNS))[RUNS // 2] / _STEPS
    yield Row(
        what=f"a run of {_STEPS:,} instant steps: a step",
        measured=milliseconds(seconds),
        goal=f"under {milliseconds(_STEP_GOAL)}",
        met=seconds < _STEP_GOAL,
    )


@measurement
def finished() -> Iterator[Row]:
    """What 1,000 more finished runs leave in memory, after the first 1,000."""
    with daemon() as server, _connected(server) as socket:
        path = _strategy(server, ["a", "b"])
        resident = []
        for _ in range(3):
            for _ in range(_FINISHED):
                _run(socket, path, unfollowed=True)
            resident.append(memory_of(server.process.pid).resident / _MIB)
    grown = resident[2] - resident[1]
    yield Row(
        what=f"memory of {_FINISHED:,} more finished runs",
        measured=f"{grown:.1f} MiB, after {resident[1] - resident[0]:.1f} MiB for those before",
        goal=f"under {_KEPT_GOAL:g} MiB",
        met=grown < _KEPT_GOAL,
    )


@contextmanager
def _connected(server: Server) -> Iterator[ClientConnection]:
    with connect(f"ws://127.0.0.1:{server.port}/ws", max_size=None) as socket:
        yield socket


def _strategy(server: Server, order: list[str]) -> str:
    """Write a strategy whose two agents answer at once, and return its path."""
    (user,) = json.loads(server.call("GET", "/users").body)["users"]
    agent = {"model": "scripted/echo", "providerOptions": {"scripted": {"reply": "step {turn}"}}}
    flow = {"name": "steps", "type": "sequential", "steps": [{"agent": it} for it in order]}
    strategy = {"name": "steps", "version": "1", "agents": {"a": agent, "b": agent}, "flow": flow}
    path = Path(user["home"], "steps.json")
    path.write_text(json.dumps(strategy), encoding="utf-8")
    return str(path)


def _run(socket: ClientConnection, path: str, *, unfollowed: bool = False) -> float:
    """Run a strategy, and return how long it took from its start to its last event."""
    _send(socket, "prepare_run", strategyPath=path)
    run_id = json.loads(socket.recv(_PATIENCE))["runId"]
    began = time.perf_counter()
    _send(socket, "start_run", runId=run_id)
    while (last := json.loads(socket.recv(_PATIENCE)))["type"] not in _ENDS:
        pass
    seconds = time.perf_counter() - began
    if last["type"] != "strategy_completed":
        raise RuntimeError(f"the run failed: {last}")
    if unfollowed:
        _send(socket, "unsubscribe", runId=run_id)
    return seconds


def _send(socket: ClientConnection, kind: str, **fields: Any) -> None:
    socket.send(json.dumps({"type": kind, **fields}))
