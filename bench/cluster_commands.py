"""A plugin for the bench of clusters: commands that wait, and that print much."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from stringd.plugin import Command, Invocation, Output, Reply, hookimpl

WAIT_SECONDS = 0.02
PIECES, PIECE_BYTES = 100, 4096
LAST = "the last piece"
"""The last piece of what `/print` prints."""


async def wait(_: Invocation) -> Reply:
    """Wait as for a model or a service."""
    await asyncio.sleep(WAIT_SECONDS)
    return Reply.confirmation("Waited.")


async def print_(invocation: Invocation) -> Reply:
    """Print pieces of 4 KiB."""
    session, events = invocation.session, invocation.runtime.events
    for text in [*("x" * PIECE_BYTES for _ in range(PIECES)), LAST]:
        events.publish(Output(user_id=session.user.id, topic=str(session.name), text=text))
    return Reply.confirmation("Printed.")


@hookimpl
def stringd_commands() -> Iterable[Command]:
    """Add the commands."""
    return [
        Command(name="wait", summary="Wait 20 ms.", usage="/wait", run=wait),
        Command(name="print", summary="Print 400 KiB.", usage="/print", run=print_),
    ]
