"""A plugin that wants a topic type which stringd has, and a command which it will not get either."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.plugin import Command, Invocation, Reply, TopicType, hookimpl


async def spread(_: Invocation) -> Reply:
    return Reply.confirmation("Spread")


@hookimpl
def stringd_topic_types() -> Iterable[TopicType]:
    return [TopicType(name="file", summary="Weeds.")]


@hookimpl
def stringd_commands() -> Iterable[Command]:
    return [Command(name="spread", summary="Spread.", usage="/spread", run=spread)]
