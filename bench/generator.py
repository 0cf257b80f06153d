"""The load generator: reads a job as JSON from stdin, writes its rounds as JSON to stdout."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from array import array
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import cast

import uvloop

from bench.load import Job, Round, Target

# Seconds that a round waits for its last answers: a server that hangs costs errors, not the run.
_PATIENCE = 10.0


class Tally:
    """Collects the results of the connections of one round."""

    def __init__(self, pid: int, connections: int, seconds: float) -> None:
        self.latencies = array("d")
        self.errors = 0
        self.through = asyncio.Event()
        self.busy_from, self.start = time.process_time(), time.perf_counter()
        self.deadline = self.start + seconds
        self._pid, self._cpu_from = pid, _cpu_seconds(pid)
        self._running = connections

    def fail(self, reason: str) -> None:
        """Count a failed request; print the first of a round to stderr."""
        if not self.errors:
            print(f"the load generator met an error: {reason}", file=sys.stderr)
        self.errors += 1

    def leave(self) -> None:
        """Note that a connection has finished."""
        self._running -= 1
        if not self._running:
            self.through.set()

    def round(self) -> Round:
        """Return the round; unanswered requests count as errors."""
        seconds = time.perf_counter() - self.start
        ordered = sorted(self.latencies) or [seconds]
        return Round(
            answers=len(self.latencies),
            errors=self.errors + self._running,
            seconds=seconds,
            p99=ordered[len(ordered) * 99 // 100],
            cpu=_cpu_seconds(self._pid) - self._cpu_from,
            busy=(time.process_time() - self.busy_from) / seconds,
        )


class Connection(asyncio.Protocol):
    """A keep-alive connection that repeats its request as soon as the response is complete."""

    def __init__(self, request: bytes, expect: bytes) -> None:
        self._request, self._expect = request, expect
        self._received = b""
        self._sent = 0.0
        self._tally: Tally | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast("asyncio.Transport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Count an error if the server closes the connection during a round."""
        self._transport = None
        if self._tally is not None:
            self._tally.fail("the server closed a connection")
            self._leave(self._tally)

    def join(self, tally: Tally) -> None:
        """Send requests in a round until its deadline."""
        self._tally = tally
        if self._transport is None:
            self.connection_lost(None)
        else:
            self._send(self._transport)

    def close(self) -> None:
        """Close the connection."""
        if self._transport is not None:
            self._transport.close()

    def data_received(self, data: bytes) -> None:
        """Collect the response; once it is complete, count it and send the next request."""
        self._received += data
        if self._tally is None or self._transport is None or not is_whole(self._received):
            return
        now = time.perf_counter()
        self._count(self._tally, now - self._sent)
        self._received = b""
        if now < self._tally.deadline:
            self._send(self._transport)
        else:
            self._leave(self._tally)

    def _count(self, tally: Tally, latency: float) -> None:
        # A refusal may well be faster than an answer: it must not raise the rate.
        if self._received.startswith(b"HTTP/1.1 200") and self._expect in self._received:
            tally.latencies.append(latency)
        else:
            tally.fail(repr(self._received[:500]))

    def _send(self, transport: asyncio.Transport) -> None:
        self._sent = time.perf_counter()
        transport.write(self._request)

    def _leave(self, tally: Tally) -> None:
        self._tally = None
        tally.leave()


def is_whole(received: bytes) -> bool:
    """Whether a response is complete, by its Content-Length or the last chunk."""
    end = received.find(b"\r\n\r\n")
    if end < 0:
        return False
    head = received[:end].lower()
    _, found, rest = head.partition(b"\r\ncontent-length:")
    if not found:
        return received.endswith(b"\r\n0\r\n\r\n")
    return len(received) >= end + 4 + int(rest.partition(b"\r\n")[0])


def _cpu_seconds(pid: int) -> float:
    # The command's name, in parentheses, may hold blanks: the numbers begin behind it.
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    user, system = int(fields[11]), int(fields[12])
    return (user + system) / os.sysconf("SC_CLK_TCK")


async def _connect(target: Target, size: int) -> list[Connection]:
    loop = asyncio.get_running_loop()
    made: list[Connection] = []
    for number in range(size):
        request = target.requests[number % len(target.requests)].encode("utf-8")
        _, connection = await loop.create_connection(
            partial(Connection, request, target.expect.encode("utf-8")), "127.0.0.1", target.port
        )
        made.append(connection)
    return made


async def _round(target: Target, size: int, seconds: float) -> Round:
    # Connected anew, outside the time that counts: a server may drop connections that idle between rounds.
    connections = await _connect(target, size)
    tally = Tally(target.pid, size, seconds)
    for connection in connections:
        connection.join(tally)
    try:
        await asyncio.wait_for(tally.through.wait(), seconds + _PATIENCE)
    except TimeoutError:
        print("the last answers of a round never came", file=sys.stderr)
    for connection in connections:
        connection.close()
    return tally.round()


async def run(job: Job) -> dict[str, list[Round]]:
    """Warm up all targets, then load them in turn, round after round."""
    rounds: dict[str, list[Round]] = {name: [] for name in job.targets}
    for target in job.targets.values():
        await _round(target, job.connections, job.warm_up)
    for _ in range(job.rounds):
        for name, target in job.targets.items():
            rounds[name].append(await _round(target, job.connections, job.seconds))
    return rounds


def main() -> None:
    """Read the job, run it, and write its rounds."""
    raw = json.load(sys.stdin)
    job = Job(**raw | {"targets": {name: Target(**target) for name, target in raw["targets"].items()}})
    rounds = uvloop.run(run(job))
    json.dump({name: [asdict(each) for each in seen] for name, seen in rounds.items()}, sys.stdout)


if __name__ == "__main__":
    main()
