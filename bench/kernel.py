"""Benchmarks of the core: a trivial command over HTTP, many topics, startup, `string`, memory."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from bench.load import Job, Round, cpu, measure, middle, p99, rate, ratio
from bench.memory import Memory, memory_of
from bench.rooms import measurement
from bench.servers import USER, clean_environment, daemon, first_health, reference
from bench.table import Row, at_least, at_most
from bench.targets import ENVELOPE, HANDSHAKE, accepted, info, recorded, tool_call
from bench.timing import command, compare, milliseconds

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOPICS = 200
_SESSIONS = 1000


@measurement
def exec_() -> Iterator[Row]:
    """`/info` over HTTP, compared with apps that send the same bytes and with MCP tool calls."""
    with ExitStack() as servers:
        ours = servers.enter_context(daemon())
        answer = recorded(ours)
        bare = servers.enter_context(reference("bench.bare", answer))
        raw = servers.enter_context(reference("bench.raw", answer))
        peer = servers.enter_context(reference("bench.mcp_server", answer))
        targets = {
            "stringd": info(ours, ["file:main"]),
            "bare": info(bare, ["file:main"]),
            "raw": info(raw, ["file:main"]),
            "handshake": tool_call(peer, HANDSHAKE),
            "envelope": tool_call(peer, ENVELOPE),
        }
        rounds = measure(Job(targets=targets))
    yield from _beside_bare(rounds["stringd"], rounds["bare"])
    yield _beside_raw(rounds["stringd"], rounds["raw"])
    yield from _beside_mcp(rounds["stringd"], rounds["handshake"], rounds["envelope"])


def _beside_bare(ours: list[Round], bare: list[Round]) -> Iterator[Row]:
    yield at_least(
        0.5,
        ratio(ours, bare, rate),
        what="`/info` over HTTP, 16 connections: answers/s",
        measured=_rate(ours),
        reference=f"bare app {_rate(bare)}",
    )
    yield at_most(
        3,
        ratio(ours, bare, p99),
        what="the same: 99th percentile of the wait",
        measured=milliseconds(middle(ours, p99)),
        reference=f"bare app {milliseconds(middle(bare, p99))}",
    )
    yield Row(
        what="the same: processor time per answer",
        measured=f"{middle(ours, cpu) * 1e6:.0f} µs",
        reference=f"bare app {middle(bare, cpu) * 1e6:.0f} µs",
        ratio=ratio(ours, bare, cpu),
    )


def _beside_raw(ours: list[Round], raw: list[Round]) -> Row:
    # The daemon sends commands past Starlette's layers; the bare app pays for them.
    return Row(
        what="the same, compared with an app without Starlette: answers/s",
        measured=_rate(ours),
        reference=f"raw app {_rate(raw)}, {middle(raw, cpu) * 1e6:.0f} µs an answer",
        ratio=ratio(ours, raw, rate),
    )


def _beside_mcp(ours: list[Round], handshake: list[Round], envelope: list[Round]) -> Iterator[Row]:
    yield at_least(
        4,
        ratio(ours, handshake, rate),
        what=f"the same, compared with an MCP tool call ({HANDSHAKE}): answers/s",
        measured=_rate(ours),
        reference=f"MCP server {_rate(handshake)}",
    )
    yield Row(
        what=f"the same, compared with an MCP tool call ({ENVELOPE}): answers/s",
        measured=_rate(ours),
        reference=f"MCP server {_rate(envelope)}",
        ratio=ratio(ours, envelope, rate),
    )


@measurement
def topics() -> Iterator[Row]:
    """Many connections, each with its own topic; none may fail."""
    with daemon() as server:
        names = [f"file:t{number}" for number in range(_TOPICS)]
        job = Job(targets={"stringd": info(server, names)}, connections=_TOPICS, rounds=3)
        rounds = measure(job)["stringd"]
    errors = sum(each.errors for each in rounds)
    yield Row(
        what=f"`/info` on {_TOPICS} topics, {_TOPICS} connections",
        measured=f"{_rate(rounds)}/s, p99 {milliseconds(middle(rounds, p99))}, {errors} errors",
        goal="no error",
        met=errors == 0,
    )


@measurement
def start() -> Iterator[Row]:
    """Time from spawning the daemon to its first `/health`, compared with importing its largest packages."""
    imports = [sys.executable, "-c", "import starlette, uvicorn"]
    seen = compare(first_health, lambda: command(imports, clean_environment()))
    yield at_most(
        4,
        seen.ratio,
        what="start of the daemon to its first `/health`",
        measured=milliseconds(seen.measured),
        reference=f"`import starlette, uvicorn` {milliseconds(seen.reference)}",
    )


@measurement
def cli() -> Iterator[Row]:
    """One `string` command, compared with the imports of a minimal HTTP client."""
    imports = [sys.executable, "-c", "import http.client, json"]
    string = [str(Path(sys.executable).with_name("string")), "file:main", "/info"]
    with daemon() as server:
        env = clean_environment() | {"STRINGD_PORT": str(server.port)}
        seen = compare(lambda: command(string, env), lambda: command(imports, env))
    yield at_most(
        3,
        seen.ratio,
        what="`string file:main /info`, daemon running",
        measured=milliseconds(seen.measured),
        reference=f"`import http.client, json` {milliseconds(seen.reference)}",
    )


@measurement
def memory() -> Iterator[Row]:
    """Memory of the idle daemon, with many empty sessions, and after a command in each."""
    with daemon() as server:
        idle = memory_of(server.process.pid)
        yield Row(what="memory, idle", measured=str(idle))
        sessions = [f"file:s{number}" for number in range(_SESSIONS)]
        for topic in sessions:
            accepted(server.call("POST", "/sessions", {"user_id": USER, "topic": topic}))
        yield _grown(f"memory, {_SESSIONS:,} empty sessions", memory_of(server.process.pid), idle)
        for topic in sessions:
            accepted(server.call("POST", "/exec", {"cmd": "/info", "topic": topic}))
        yield _grown(f"memory, one `/info` in each of {_SESSIONS:,}", memory_of(server.process.pid), idle)


def _grown(what: str, now: Memory, idle: Memory) -> Row:
    each = (now.resident - idle.resident) / _SESSIONS
    return Row(
        what=what,
        measured=f"{now}, {each:.1f} KiB a session",
        reference=f"idle {idle.resident / 1024:.1f} MiB",
        ratio=now.resident / idle.resident,
    )


def _rate(rounds: list[Round]) -> str:
    return f"{middle(rounds, rate):,.0f}"
