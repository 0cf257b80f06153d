"""An observer that writes a daemon's events to a file, which tests read while commands run."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from stringd.testing.process import DaemonProcess, Events

PLUGIN = """
import asyncio, json, os, time
from dataclasses import fields
from stringd.plugin import Command, Observer, Reply, hookimpl
from stringd.plugin.events import current_output

KINDS = frozenset({"output", "command-begun", "command-ended"})

def as_json(event):
    return {"kind": event.kind} | {it.name: getattr(event, it.name) for it in fields(event)}

def note(event):
    with open(os.environ["SEEN"], "a") as seen:
        seen.write(json.dumps(as_json(event)) + "\\n")

async def recent(invocation):
    kinds = []
    with invocation.runtime.events.watch(after=0) as watch:
        while True:
            try:
                published = await asyncio.wait_for(anext(aiter(watch)), 0.2)
            except TimeoutError:
                return Reply.page("", " ".join(kinds))
            kinds.append(published.event.kind)

async def work(_):
    output = current_output()
    output.hide({"key-12345": "$KEY"})
    for step in range(10):
        output.report("steps", step, 10, "steps")
        await asyncio.sleep(0.05)
    output.write("key-", "log")
    output.write("12345 is used\\n", "log")
    asyncio.create_task(afterwards(output))
    return Reply.page("", "Done.")

async def afterwards(output):
    await asyncio.sleep(0.05)
    output.write("too late")

@hookimpl
def stringd_observers():
    return [Observer(name="noting", on_event=note, kinds=KINDS)] if "SEEN" in os.environ else []

@hookimpl
def stringd_commands():
    return [
        Command(name="recent", summary="Show the published events.", usage="", run=recent),
        Command(name="work", summary="Report progress.", usage="", run=work),
    ]
"""
PATIENCE = 20.0
Seen: TypeAlias = dict[str, Any]
StartDaemon: TypeAlias = Callable[..., DaemonProcess]


class Watched:
    """A daemon whose events are recorded."""

    def __init__(self, daemon: DaemonProcess, seen: Path) -> None:
        self.daemon = daemon
        self._seen = seen

    def events(self, kind: str | None = None) -> list[Seen]:
        """Return the events so far, complete lines only."""
        lines = self._seen.read_text(encoding="utf-8").split("\n")[:-1] if self._seen.exists() else []
        events: list[Seen] = [json.loads(line) for line in lines]
        return [it for it in events if kind in {None, it["kind"]}]

    def text(self) -> str:
        """Return all text that was published so far."""
        return "".join(it["text"] or "" for it in self.events("output"))

    def progress(self, source: str) -> list[Seen]:
        """Return the progress of a source so far."""
        return [it for it in self.events("output") if it["done"] is not None and it["source"] == source]

    def wait_for(self, condition: Callable[[Watched], bool]) -> None:
        """Wait for a condition on the events."""
        deadline = time.monotonic() + PATIENCE
        while not condition(self):
            assert time.monotonic() < deadline, f"not seen in {PATIENCE:g} s: {self.events()[-20:]}"
            time.sleep(0.02)

    @contextmanager
    def running(self, cmd: str, topic: str, **options: Any) -> Iterator[Future[Events]]:
        """Run a command concurrently with the context, and wait for its end."""
        answer: Future[Events] = Future()

        def run() -> None:
            try:
                answer.set_result(self.daemon.exec(cmd, topic, **options))
            except BaseException as error:
                answer.set_exception(error)

        thread = threading.Thread(target=run)
        thread.start()
        try:
            yield answer
        finally:
            thread.join(PATIENCE)


def start_watched(
    start_daemon: StartDaemon, folder: Path, *args: str, is_watched: bool = True, **options: Any
) -> Watched:
    """Start a daemon with the plugin, and with its observer if output is to be watched."""
    plugin, seen = folder / "noting.py", folder / "seen.jsonl"
    plugin.write_text(PLUGIN, encoding="utf-8")
    env = {**options.pop("env", {}), **({"SEEN": str(seen)} if is_watched else {})}
    daemon = start_daemon("--plugins", str(plugin), *args, env=env, **options)
    daemon.register("default", daemon.home)
    return Watched(daemon, seen)
