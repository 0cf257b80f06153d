"""`/help`: what can be sent to this topic."""

from __future__ import annotations

from difflib import get_close_matches

from stringd.contracts.commands import Command, Invocation
from stringd.contracts.replies import Reply
from stringd.errors import Refusal

HEADING = "String Commands"


async def run(invocation: Invocation) -> Reply:
    """List the commands, or explain one."""
    commands = {it.name: it for it in invocation.daemon.commands(invocation.session.name.type)}
    wanted = invocation.line.arguments.strip().lstrip("/").lower()
    if not wanted:
        width = max(map(len, commands)) + 2
        return Reply.page(HEADING, "\n".join(f"/{it.name:<{width}}{it.summary}" for it in commands.values()))
    if wanted not in commands:
        nearest = get_close_matches(wanted, commands, n=1)
        raise Refusal("NOT_FOUND", f"Unknown command: /{wanted}", *(f"nearest: /{name}" for name in nearest))
    return Reply.page(HEADING, f"{commands[wanted].usage}\n\n{commands[wanted].summary}")


HELP = Command(
    name="help",
    summary="List the commands of this topic, or explain one.",
    usage="/help [command]",
    run=run,
)
