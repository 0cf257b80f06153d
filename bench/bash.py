"""Benchmarks of bash topics: a trivial text, the first text, a flood of output, and memory."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import time
from contextlib import closing
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from pexpect import replwrap

from bench.memory import memory_of
from bench.rooms import measurement
from bench.servers import USER, clean_environment, daemon
from bench.table import Row, at_least, at_most
from bench.timing import compare, milliseconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.servers import Server

_TIMES = 50
_TOPICS = 1000
_MOST_MIB = 2.5
_FLOOD = "head -c 100M /dev/zero | tr '\\0' x"
_MEGABYTES = 100 * 1024 * 1024 / 1e6
_PATIENCE = 60.0


class Shell:
    """Sends texts to a daemon's bash topics over one persistent connection."""

    def __init__(self, server: Server) -> None:
        self._connection = HTTPConnection("127.0.0.1", server.port, timeout=_PATIENCE)

    def seconds(self, text: str, topic: str = "bash:main") -> float:
        """Return the time from the request to the last byte of the response."""
        body = json.dumps({"cmd": text, "topic": topic})
        start = time.perf_counter()
        self._connection.request(
            "POST", "/exec", body, {"content-type": "application/json", "x-user-id": USER}
        )
        answer = self._connection.getresponse().read()
        seconds = time.perf_counter() - start
        if b'"ok":true' not in answer:
            raise RuntimeError(f"{text!r} fails: {answer[:500]!r}")
        return seconds

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


@measurement
def echo() -> Iterator[Row]:
    """`echo x` in a running shell, compared with pexpect's wrapper, with and without its delay."""
    with daemon() as server, closing(Shell(server)) as shell:
        patient, hasty = replwrap.bash(), replwrap.bash()
        hasty.child.delaybeforesend = None
        ours = _each(lambda: shell.seconds("echo x"))
        peers = {
            "pexpect.replwrap": lambda: _wrapped(patient),
            "the same without its pause of 50 ms": lambda: _wrapped(hasty),
            "`bash -c` spawned": _spawned,
        }
        for number, (name, theirs) in enumerate(peers.items()):
            seen = compare(_each(theirs), ours)
            row = at_least if not number else _stated
            yield row(
                3,
                seen.ratio,
                what="`echo x` in a bash topic over HTTP: times faster",
                measured=milliseconds(seen.reference / _TIMES),
                reference=f"{name} {milliseconds(seen.measured / _TIMES)}",
            )


def _stated(_: float, ratio: float, *, what: str, measured: str, reference: str) -> Row:
    return Row(what=what, measured=measured, reference=reference, ratio=ratio)


def _each(once: Callable[[], float]) -> Callable[[], float]:
    return lambda: sum(once() for _ in range(_TIMES))


def _wrapped(shell: replwrap.REPLWrapper) -> float:
    start = time.perf_counter()
    if shell.run_command("echo x") != "x\r\n":
        raise RuntimeError("pexpect reads something else")
    return time.perf_counter() - start


def _spawned() -> float:
    start = time.perf_counter()
    subprocess.run(["/bin/bash", "-c", "echo x"], stdout=subprocess.PIPE, check=True, env=clean_environment())
    return time.perf_counter() - start


@measurement
def first() -> Iterator[Row]:
    """The first text of a new topic, which starts the shell."""
    with daemon() as server, closing(Shell(server)) as shell:
        names = (f"bash:t{number}" for number in count())
        seen = compare(lambda: shell.seconds("echo x", next(names)), _interactive)
    yield Row(
        what="the first `echo x` of a new bash topic",
        measured=milliseconds(seen.measured),
        reference=f"`bash --norc -i` spawned {milliseconds(seen.reference)}",
        ratio=seen.ratio,
    )


def _interactive() -> float:
    start = time.perf_counter()
    line = ["/bin/bash", "--norc", "--noprofile", "-i", "-c", "echo x"]
    subprocess.run(line, capture_output=True, check=True, env=clean_environment(), start_new_session=True)
    return time.perf_counter() - start


@measurement
def flood() -> Iterator[Row]:
    """100 MiB of output, compared with a loop that only reads from a terminal."""
    with daemon() as server, closing(Shell(server)) as shell:
        shell.seconds("true")
        seen = compare(lambda: shell.seconds(_FLOOD), _read_off)
    yield at_most(
        3,
        seen.ratio,
        what=f"`{_FLOOD}`",
        measured=f"{_MEGABYTES / seen.measured:.0f} MB/s",
        reference=f"a bare loop {_MEGABYTES / seen.reference:.0f} MB/s",
    )


def _read_off() -> float:
    start = time.perf_counter()
    child, terminal = pty.fork()
    if not child:
        os.execv("/bin/bash", ["bash", "-c", _FLOOD])
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:
        os.waitpid(child, 0)
    finally:
        os.close(terminal)
    return time.perf_counter() - start


@measurement
def memory() -> Iterator[Row]:
    """The memory of a topic with a shell: shell, supervisor, and the daemon's share."""
    with daemon() as server, closing(Shell(server)) as shell:
        shell.seconds("true", "bash:first")
        before = _proportional(server.process.pid)
        for number in range(_TOPICS):
            shell.seconds("true", f"bash:t{number}")
        cost = (_proportional(server.process.pid) - before) / _TOPICS / 1024
        bare = _proportional_of_bare() / 1024
    yield Row(
        what=f"memory of a bash topic, {_TOPICS:,} of them (Pss)",
        measured=f"{cost:.2f} MiB a topic",
        reference=f"one bash alone {bare:.2f} MiB",
        ratio=cost / bare,
        goal=f"at most {_MOST_MIB:g} MiB",
        met=cost <= _MOST_MIB,
    )


def _proportional_of_bare() -> int:
    line = ["/bin/bash", "--norc", "-c", "echo ready; read; :"]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as bash:
        if bash.stdout:
            bash.stdout.readline()
        found = memory_of(bash.pid).proportional or 0
        bash.kill()
    return found


def _proportional(root: int) -> int:
    return sum(memory_of(pid).proportional or 0 for pid in _family(root))


def _family(root: int) -> list[int]:
    parents = {int(path.parent.name): _parent(path) for path in Path("/proc").glob("[0-9]*/stat")}
    family = [root]
    for member in family:
        family += [pid for pid, parent in parents.items() if parent == member]
    return family


def _parent(stat: Path) -> int:
    try:
        return int(stat.read_bytes().rpartition(b")")[2].split()[1])
    except OSError:
        return 0
