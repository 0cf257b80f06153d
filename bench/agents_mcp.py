"""Calls of the MCP tool `string`, compared with a bare MCP tool that returns the same text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

from bench.load import Job, cpu, measure, middle, p99, rate, ratio
from bench.rooms import measurement
from bench.servers import daemon, reference
from bench.table import Row, at_least
from bench.targets import ENVELOPE, recorded, string_call, tool_call
from bench.timing import milliseconds

_SHARE = 0.8


@measurement
def mcp() -> Iterator[Row]:
    """`/info` by the tool `string` over HTTP, compared with a tool of the SDK that only returns a text."""
    with ExitStack() as servers:
        ours = servers.enter_context(daemon())
        peer = servers.enter_context(reference("bench.mcp_server", recorded(ours)))
        targets = {"string": string_call(ours), "bare": tool_call(peer, ENVELOPE)}
        rounds = measure(Job(targets=targets))
    string, bare = rounds["string"], rounds["bare"]
    yield at_least(
        _SHARE,
        ratio(string, bare, rate),
        what=f"MCP tool `string` ({ENVELOPE}), 16 connections: calls/s",
        measured=f"{middle(string, rate):,.0f}",
        reference=f"bare MCP tool {middle(bare, rate):,.0f}",
    )
    yield Row(
        what="the same: processor time per call",
        measured=f"{middle(string, cpu) * 1e6:.0f} µs",
        reference=f"bare MCP tool {middle(bare, cpu) * 1e6:.0f} µs",
        ratio=ratio(string, bare, cpu),
    )
    yield Row(
        what="the same: 99th percentile of the wait",
        measured=milliseconds(middle(string, p99)),
        reference=f"bare MCP tool {milliseconds(middle(bare, p99))}",
        ratio=ratio(string, bare, p99),
    )
