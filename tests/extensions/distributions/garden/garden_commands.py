"""Commands for all topics, for document topics, and for named types."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.plugin import Command, Invocation, Reply, TopicGroup, hookimpl


async def water(invocation: Invocation) -> Reply:
    return Reply.confirmation(f"Watered {invocation.session.name}")


async def press(invocation: Invocation) -> Reply:
    return Reply.page("Pressed", invocation.line.body or "(nothing)")


async def rake(invocation: Invocation) -> Reply:
    return Reply.output("exit: 0", f"raked {invocation.line.arguments}")


@hookimpl
def stringd_commands() -> Iterable[Command]:
    return [
        Command(name="water", summary="Water the topic.", usage="/water", run=water),
        Command(
            name="press",
            summary="Press the lines below.",
            usage="/press",
            run=press,
            topic_types=TopicGroup.DOCUMENTS,
            takes_body=True,
        ),
        Command(
            name="rake",
            summary="Rake the leaves.",
            usage="/rake leaves",
            run=rake,
            topic_types=frozenset({"file", "web"}),
        ),
    ]
