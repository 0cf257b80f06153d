"""`make trace CMD=…`: run a command in a daemon within this process and print the functions that it calls."""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from inspect import CO_COROUTINE
from itertools import groupby, pairwise
from pathlib import Path
from types import FrameType

import uvloop

from bench.servers import USER, call
from stringd.config import Config
from stringd.server import exec_response
from stringd.server.app import make_runtime
from stringd.server.doorways import bound_sockets
from stringd.server.http_server import Server
from stringd.text.topic_names import DEFAULT_TOPIC

_OURS = re.compile(r"stringd[._]")
# Modules being imported, and the server's housekeeping, which no command asks for.
_LEFT_OUT = frozenset({"<module>", "Server.on_tick"})
_GENERATED = re.compile(r"__create_fn__|<(?:genexpr|listcomp|dictcomp|setcomp)>")
VOCABULARY = frozenset({"stringd.api", "stringd.config", "stringd.errors", "stringd.text"})
"""The rooms below all behaviour: records, settings, exceptions, and pure functions over text."""
SAMPLE = "# Sample\n\nAn introduction.\n\n## X\n\nThe section X.\n\n## Y\n\nThe section Y.\n"


@dataclass(frozen=True, slots=True)
class Called:
    """A function that was called: its module and its qualified name."""

    module: str
    name: str

    @property
    def room(self) -> str:
        """The package: `stringd.documents` for `stringd.documents.pages.page`, or a plugin's package."""
        parts = self.module.split(".")
        return ".".join(parts[: 2 if parts[0] == "stringd" else 1])

    def __str__(self) -> str:
        return f"{self.module.removeprefix(self.room).lstrip('.')}.{self.name}".lstrip(".")


@dataclass(slots=True)
class Recorder:
    """Records the first call of each frame of stringd and its plugins, in all threads of this process.

    Resumed coroutines are no calls. Left out are calls while a module is imported, comprehensions, and the
    methods that dataclasses generate.
    """

    called: list[Called] = field(default_factory=list)
    is_recording: bool = False
    _seen: dict[int, FrameType] = field(default_factory=dict)
    _inside: dict[int, int] = field(default_factory=dict)

    def observe(self, frame: FrameType, event: str, _: object) -> None:
        """Take an event, as `sys.setprofile` reports it."""
        if not self.is_recording:
            # What a command before left to do is no call of this one.
            if event == "call" and frame.f_code.co_flags & CO_COROUTINE:
                self._seen[id(frame)] = frame
            return
        if event not in {"call", "return"}:
            return
        thread = threading.get_ident()
        depth = self._inside.get(thread, 0)
        if frame.f_code.co_qualname in _LEFT_OUT:
            self._inside[thread] = depth + (1 if event == "call" else -1)
        elif event == "call" and not depth:
            self._record(frame)

    def _record(self, frame: FrameType) -> None:
        module, name = frame.f_globals.get("__name__", ""), frame.f_code.co_qualname
        if _OURS.match(module) and not _GENERATED.search(name) and id(frame) not in self._seen:
            # Keeping the frame keeps its id from being reused.
            self._seen[id(frame)] = frame
            self.called.append(Called(module, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The size of a walk. `moves` are the changes of room without visits to the vocabulary."""

    calls: int
    functions: int
    modules: int
    rooms: int
    changes: int
    moves: int

    def __str__(self) -> str:
        return (
            f"{self.calls} calls, {self.functions} functions, {self.modules} modules, {self.rooms} rooms, "
            f"{self.changes} changes of room, {self.moves} without those to the vocabulary"
        )


def figures(called: Sequence[Called]) -> Figures:
    """Measure a walk."""
    rooms = [it.room for it in called]
    return Figures(
        calls=len(called),
        functions=len(set(called)),
        modules=len({it.module for it in called}),
        rooms=len(set(rooms)),
        changes=_changes(rooms),
        moves=_changes([it for it in rooms if it not in VOCABULARY]),
    )


def _changes(rooms: Sequence[str]) -> int:
    return sum(one != other for one, other in pairwise(rooms))


def report(called: Sequence[Called]) -> str:
    """Return the figures, and one line for each stay in a room."""
    stays = (_line(room, stay) for room, stay in groupby(called, lambda it: it.room))
    return "\n".join((str(figures(called)), "", *stays))


def _line(room: str, stay: Iterator[Called]) -> str:
    counted = ((name, sum(1 for _ in repeated)) for name, repeated in groupby(map(str, stay)))
    return f"{room}: {' > '.join(name if count == 1 else f'{name} ×{count}' for name, count in counted)}"


def trace(topic: str, commands: Sequence[str], home: Path) -> tuple[str, list[Called]]:
    """Run commands in a new daemon; return the reply to the last one, and the functions it called."""
    recorder = Recorder()
    # Traced commands are slow; other ones of their kind are answered in one response.
    exec_response.BUFFERED_SECONDS = 60.0
    # Threads are observed from their start, so the hooks are there before any is needed.
    threading.setprofile(recorder.observe)
    sys.setprofile(recorder.observe)
    try:
        with tempfile.TemporaryDirectory() as data_dir, bound_sockets((), 0) as (bound,):
            # A client that comes before the server accepts is queued.
            bound.socket.listen()
            runtime = make_runtime(Config(port=bound.address.port, data_dir=Path(data_dir)))
            talk = _Talk(runtime.port, topic, commands, home, recorder)
            with runtime.opened(), asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                runner.run(_serve(Server(runtime, (bound,)), talk))
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return talk.answer, recorder.called


@dataclass(slots=True)
class _Talk:
    """The client, in a thread of its own."""

    port: int
    topic: str
    commands: Sequence[str]
    home: Path
    recorder: Recorder
    answer: str = ""

    def run(self) -> None:
        """Register the user and run the commands, the last one recorded."""
        call(self.port, "POST", "/users", {"id": USER, "home": str(self.home)})
        for cmd in self.commands:
            self.recorder.is_recording = cmd is self.commands[-1]
            body = {"topic": self.topic, "cmd": cmd}
            self.answer = call(self.port, "POST", "/exec", body).body.decode()
            self.recorder.is_recording = False


async def _serve(server: Server, talk: _Talk) -> None:
    serving = asyncio.ensure_future(server.serve(sockets=[]))
    try:
        await asyncio.to_thread(talk.run)
    finally:
        # Not `stop()`, whose last resort would end this process.
        server.should_exit = True
        await serving


def main() -> int:
    """Parse the arguments, trace, and print the reply and the report."""
    parser = argparse.ArgumentParser(prog="python -m bench.trace", description=__doc__)
    parser.add_argument("cmd", help="the command to trace, such as '/open a.md#x'")
    parser.add_argument("--topic", default=DEFAULT_TOPIC)
    parser.add_argument("--before", metavar="CMD", action="append", default=[], help="run this one before")
    parser.add_argument("--home", type=Path, help="the user's home (else a new one with a document a.md)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = options.home or Path(folder)
        if not options.home:
            (home / "a.md").write_text(SAMPLE, encoding="utf-8")
        answer, called = trace(options.topic, [*options.before, options.cmd], home.absolute())
    print(f"{answer}{report(called)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
