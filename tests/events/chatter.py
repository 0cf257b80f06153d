"""A plugin that publishes events on demand."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from stringd.plugin import Command, Event, EventKind, Invocation, Output, Reply, hookimpl


@dataclass(frozen=True, slots=True, kw_only=True)
class Chatter(Event):
    """A kind of event of this plugin."""

    kind: ClassVar[str] = "chatter"

    words: Any


async def say(invocation: Invocation) -> Reply:
    """`/say text`: publish it as output."""
    publish_output(invocation, text=invocation.line.arguments)
    return Reply.confirmation("Said.")


async def load(invocation: Invocation) -> Reply:
    """`/load seconds`: report progress, take that long, and report the end."""
    seconds = float(invocation.line.arguments or 0)
    for done in range(5):
        publish_output(invocation, done=done * 1024, total=4096, unit="bytes", source="download")
        publish_output(invocation, text=f"step {done}\n")
        await asyncio.sleep(seconds / 5)
    return Reply.page("Loaded.", "what was loaded")


async def flood(invocation: Invocation) -> Reply:
    """`/flood n kind`: publish so many events at once."""
    count, kind = invocation.line.arguments.split()
    for number in range(int(count)):
        if kind == "output":
            publish_output(invocation, text="x" * 1000)
        else:
            invocation.runtime.events.publish(Chatter(words=number))
    return Reply.confirmation("Flooded.")


async def odd(invocation: Invocation) -> Reply:
    """`/odd`: publish events that are not JSON."""
    for words in (object(), b"bytes", {1: {2}}):
        try:
            invocation.runtime.events.publish(Chatter(words=words))
        except ValueError:
            continue
        return Reply.error("ODD", "The event was accepted.")
    invocation.runtime.events.publish(Output(text="ok", source=b"bytes"))  # type: ignore[arg-type]
    invocation.runtime.events.publish(Chatter(words="\x1b[31m\u202ered\ud800\n"))
    return Reply.confirmation("Refused.")


def publish_output(invocation: Invocation, **fields: Any) -> None:
    session = invocation.session
    invocation.runtime.events.publish(
        Output(user_id=session.user.id, topic=str(session.name), request_id=invocation.request_id, **fields)
    )


@hookimpl
def stringd_commands() -> Iterable[Command]:
    return [
        Command(name=run.__name__, summary=f"{run.__doc__}", usage="", run=run)
        for run in (say, load, flood, odd)
    ]


@hookimpl
def stringd_event_kinds() -> Iterable[EventKind]:
    return [EventKind(event=Chatter)]
