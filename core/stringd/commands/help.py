"""`/help`: list the topic's commands or explain one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from stringd.api.commands import Command, Invocation
from stringd.api.replies import Reply
from stringd.api.runtime import CommandHelp, Runtime
from stringd.commands.open import OPEN
from stringd.errors import ErrorCode, Refusal
from stringd.text.nearest import nearest


async def run(invocation: Invocation) -> Reply:
    """List the commands, or explain one."""
    commands = invocation.runtime.commands(invocation.session.name.type)
    wanted = invocation.line.arguments.lstrip("/").lower()
    if not wanted:
        return Reply.page("String Commands", _listing(commands.values(), invocation.session.slash))
    if wanted not in commands:
        suggestion = nearest(wanted, commands)
        raise Refusal(
            ErrorCode.NOT_FOUND,
            f"Unknown command: /{wanted}",
            *([f"nearest: /{suggestion}"] if suggestion else []),
        )
    explained = commands[wanted].explained()
    if commands[wanted] is OPEN:
        return replace(explained, content=f"{explained.content}{_loader_options(invocation.runtime)}")
    return explained


def _loader_options(runtime: Runtime) -> str:
    """Return the options that loaders of plugins add to `/open`, with the URIs that each is for."""
    lines = [f"{name}  {explanation}" for name, explanation in sorted(runtime.load_options.items())]
    return "\n".join(("\n\nOptions for URIs:", *lines)) if lines else ""


def _listing(commands: Collection[CommandHelp], slash: str) -> str:
    width = max(len(command.name) for command in commands) + 2
    return "\n".join(f"{slash}{command.name:<{width}}{command.summary}" for command in commands)


HELP = Command(
    name="help",
    summary="List the commands of this topic, or explain one.",
    usage="/help [command]",
    run=run,
)
