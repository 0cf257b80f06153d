"""A plugin for the bench: commands that take a while and say what they do, as a build in a shell does."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from stringd.plugin import Command, Invocation, Output, Reply, hookimpl

_STEPS = 4
_STEP_SECONDS = 0.05


async def work(invocation: Invocation) -> Reply:
    """Take a fifth of a second, and publish some lines of output meanwhile."""
    session, events = invocation.session, invocation.runtime.events
    for step in range(_STEPS):
        if events.is_watched:
            text = f"compiling module {step} of {_STEPS} with all optimisations\n"
            events.publish(Output(user_id=session.user.id, topic=str(session.name), text=text))
        await asyncio.sleep(_STEP_SECONDS)
    return Reply.confirmation("Worked.")


@hookimpl
def stringd_commands() -> Iterable[Command]:
    """Add the command."""
    return [Command(name="work", summary="Work for a while.", usage="/work", run=work)]
