"""Scripted agents: the same tasks with stringd and with the tools that are installed beside it."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.agent_files import FILE_TASKS, ServerFilesystem, StringdFiles
from bench.agent_tasks import TERMINAL_TASKS
from bench.agent_tools import Meter, StringdTerminal, TmuxTerminal
from bench.agent_web import WEB_TASKS, Fetch, Playwright, StringdWeb, site
from bench.rooms import measurement
from bench.servers import daemon
from bench.table import Row, at_least

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bench.servers import Server

_CHROMIUM = "chromium"


@dataclass(slots=True, kw_only=True)
class Score:
    """What an agent has reached with a tool, and what that cost."""

    name: str
    tasks: int
    failed: list[str] = field(default_factory=list)
    meter: Meter = field(default_factory=Meter)
    seconds: list[float] = field(default_factory=list)

    @property
    def solved(self) -> int:
        """How many tasks are solved."""
        return self.tasks - len(self.failed)

    def told(self) -> str:
        """Return the figures, and the names of the tasks that failed."""
        cost = f"{self.meter.round_trips} calls, {self.meter.characters:,} characters"
        text = f"{self.name}: {self.solved} of {self.tasks}, {cost}, {sum(self.seconds):.1f} s"
        return f"{text} (not {', '.join(self.failed)})" if self.failed else text


@measurement
def terminals() -> Iterator[Row]:
    """Ten tasks in a terminal, compared with tmux."""
    with daemon() as server, _home() as home:
        ours = _scored(
            "stringd",
            TERMINAL_TASKS,
            lambda meter: StringdTerminal(server, _topic("bash"), meter),
            _homes(server),
        )
        peers = {"tmux": lambda meter: TmuxTerminal(home, meter)}
        yield from _compared("terminal", ours, TERMINAL_TASKS, peers, home)


@measurement
def files() -> Iterator[Row]:
    """Six tasks with files, compared with the reference MCP server."""
    with daemon() as server, _home() as home:
        ours = _scored(
            "stringd", FILE_TASKS, lambda meter: StringdFiles(server, _topic("file"), meter), _homes(server)
        )
        command = ("mcp-server-filesystem", str(home))
        peers = {command[0]: lambda meter: ServerFilesystem(command, home, meter)}
        yield from _compared("file", ours, FILE_TASKS, peers, home)


@measurement
def web() -> Iterator[Row]:
    """Five tasks on the web, compared with the reference MCP server and a browser."""
    with daemon() as server, _home() as home, site() as base:
        ours = _scored("stringd", WEB_TASKS, lambda meter: StringdWeb(server, _topic("web"), meter), base)
        fetch = ("mcp-server-fetch", "--ignore-robots-txt", "--allow-private-ips")
        options = (
            "--headless",
            "--isolated",
            "--no-sandbox",
            "--executable-path",
            shutil.which(_CHROMIUM) or "",
        )
        peers = {
            fetch[0]: lambda meter: Fetch(fetch, home, meter),
            "playwright-mcp": lambda meter: Playwright(("playwright-mcp", *options), home, meter),
        }
        yield from _compared("web", ours, WEB_TASKS, peers, base)


def _compared(
    kind: str,
    ours: Score,
    tasks: Sequence[Callable[[Any, Any], bool]],
    peers: dict[str, Callable[[Meter], Any]],
    place: object,
) -> Iterator[Row]:
    """Yield a row for each peer that is installed, by the tasks that are solved."""
    for name, start in peers.items():
        what = f"{kind} tasks of an agent"
        if not shutil.which(name):
            yield Row(what=what, measured=ours.told(), reference=f"{name} is not installed")
            continue
        theirs = _scored(name, tasks, start, place)
        ratio = ours.solved / max(theirs.solved, 1)
        yield at_least(1, ratio, what=what, measured=ours.told(), reference=theirs.told())


def _scored(
    name: str, tasks: Sequence[Callable[[Any, Any], bool]], start: Callable[[Meter], Any], place: object
) -> Score:
    """Do each task with a tool that was started for it."""
    score = Score(name=name, tasks=len(tasks))
    for task in tasks:
        with closing(start(score.meter)) as tool:
            begun = time.perf_counter()
            try:
                is_solved = task(tool, place)
            except (OSError, ValueError, KeyError):
                is_solved = False
            score.seconds.append(time.perf_counter() - begun)
        score.failed += [] if is_solved else [task.__name__]
    return score


def _topic(kind: str) -> str:
    return f"{kind}:t{time.monotonic_ns()}"


def _homes(server: Server) -> Path:
    """Return the home of the daemon's user."""
    return Path(json.loads(server.call("GET", "/users").body)["users"][0]["home"])


@contextmanager
def _home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)
