"""A plugin for the tests: it stores data with its topics and records why they end."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

from stringd.plugin import (
    Command,
    EndReason,
    Invocation,
    Reply,
    Session,
    Topic,
    TopicContext,
    TopicType,
    hookimpl,
)

NAME = "keeper"


class Diary(Topic):
    """A topic that records why it ends, and can be slow or fail then."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.mood = ""

    async def ending(self, reason: EndReason) -> None:
        with (self.session.user.home / "ends.txt").open("a", encoding="utf-8") as file:
            file.write(f"{self.session.name} {reason}\n")
        match self.mood:
            case "slow":
                await asyncio.sleep(60)
            case "failing":
                raise RuntimeError("no pen")
            case "leaving":
                sys.exit(3)
            case "cancelled":
                raise asyncio.CancelledError
        self.session.data[NAME] = {"ended": reason}


@asynccontextmanager
async def open_diary(context: TopicContext) -> AsyncIterator[Topic]:
    yield Diary(context.session)
    with (context.session.user.home / "ends.txt").open("a", encoding="utf-8") as file:
        file.write("left\n")


async def keep(invocation: Invocation) -> Reply:
    """Store a JSON value under the plugin's own name."""
    invocation.session.data[NAME] = json.loads(invocation.line.arguments or invocation.line.body or "")
    return Reply.confirmation("Kept")


async def kept(invocation: Invocation) -> Reply:
    value = invocation.session.data.get(NAME, "nothing")
    return Reply.confirmation(json.dumps(value, default=dict))


async def drop(invocation: Invocation) -> Reply:
    del invocation.session.data[NAME]
    return Reply.confirmation("Dropped")


async def fill(invocation: Invocation) -> Reply:
    """Store a text whose JSON has a number of bytes."""
    invocation.session.data[NAME] = "x" * (int(invocation.line.arguments) - 2)
    return Reply.confirmation("Filled")


async def misuse(invocation: Invocation) -> Reply:
    """Misuse the interface."""
    data: Any = invocation.session.data
    match invocation.line.arguments:
        case "time":
            data[NAME] = {"when": [dt.datetime.now(dt.UTC)]}
        case "number":
            data[NAME] = {1: "one"}
        case "nan":
            data[NAME] = float("nan")
        case "cycle":
            endless: list[Any] = []
            endless.append(endless)
            data[NAME] = endless
        case "stranger":
            data["keper"] = 1
        case "place":
            data[NAME]["a"] = 2
        case "list":
            data[NAME]["list"].append(2)
    return Reply.confirmation("Done")


async def mood(invocation: Invocation) -> Reply:
    assert isinstance(invocation.topic, Diary)
    invocation.topic.mood = invocation.line.arguments
    return Reply.confirmation("Set")


@hookimpl
def stringd_topic_types() -> Iterable[TopicType]:
    return [TopicType(name="diary", summary="A diary.", open=open_diary, documents=True)]


@hookimpl
def stringd_commands() -> Iterable[Command]:
    functions = (keep, kept, drop, fill, misuse, mood)
    return [
        Command(name=it.__name__, summary=it.__name__, usage=f"/{it.__name__}", run=it, takes_body=True)
        for it in functions
    ]
