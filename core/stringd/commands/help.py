"""`/help`: list the topic's commands or explain one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace

from stringd.api.additions import CommandHelp
from stringd.api.commands import Command, Invocation
from stringd.api.replies import Reply
from stringd.api.runtime import Runtime
from stringd.commands.open import OPEN
from stringd.errors import ErrorCode, Refusal
from stringd.text.agent_brief import agent_brief
from stringd.text.formatting import listed
from stringd.text.nearest import nearest
from stringd.workers.threads import READING

MOST = 1_950
"""The limit on the characters of the listing."""
_SUMMARIES = (80, 60, 40, 20, 0)
_MOST_NAMES, _MOST_LISTED = 60, 12
_GROUPS = ("Reading", "Editing", "Actions", "Programs", "Topics")
_OTHERS = "Others"
_BRIEF = "--brief"


async def run(invocation: Invocation) -> Reply:
    """List the commands, explain one, or explain everything in brief."""
    commands = invocation.runtime.commands(invocation.session.name.type)
    wanted = invocation.line.arguments.lstrip("/").lower()
    if wanted == _BRIEF:
        return Reply.page("String in brief", agent_brief(invocation.runtime.topic_types))
    if not wanted:
        ready = await READING.run(invocation.runtime.ready_topics, invocation.session.user)
        return Reply.page(invocation.topic.help_title, _listing(commands.values(), ready, invocation))
    slash = invocation.session.slash
    if wanted not in commands:
        suggestion = nearest(wanted, commands)
        raise Refusal(
            ErrorCode.NOT_FOUND,
            f"Unknown command: {slash}{wanted}",
            *([f"nearest: {slash}{suggestion}"] if suggestion else []),
        )
    explained = commands[wanted].explained(invocation.topic.help_title, slash)
    if commands[wanted] is OPEN:
        return replace(explained, content=f"{explained.content}{_loader_options(invocation.runtime)}")
    return explained


def _loader_options(runtime: Runtime) -> str:
    """Return the options that loaders of plugins add to `/open`, with the URIs that each is for."""
    lines = [f"{name}  {explanation}" for name, explanation in sorted(runtime.load_options.items())]
    return "\n".join(("\n\nOptions for URIs:", *lines)) if lines else ""


def _listing(commands: Collection[CommandHelp], ready: Sequence[str], invocation: Invocation) -> str:
    """List the commands by what they are for, with shorter summaries if there are many."""
    slash = invocation.session.slash
    end = (*_ready(ready), f"Plugins: {_some(invocation.runtime.plugin_names)}")
    listings = ("\n".join((*_groups(commands, slash, most), "", *end)) for most in _SUMMARIES)
    return next((it for it in listings if len(it) <= MOST), _names(commands, slash))


def _groups(commands: Collection[CommandHelp], slash: str, most: int) -> Iterator[str]:
    others = {it.group for it in commands if it.group}.difference(_GROUPS)
    width = max(len(it.name) for it in commands) + 2 if most else 0
    for group in (*_GROUPS, *sorted(others), ""):
        listed_here = [it for it in commands if it.group == group]
        if listed_here:
            yield f"{group or _OTHERS}:"
        for it in listed_here:
            yield f"{slash}{it.name:<{width}}{_cut(it.summary, most)}".rstrip()


def _ready(topics: Sequence[str]) -> list[str]:
    return [f"Ready to open: {_some(topics)}"] if topics else []


def _names(commands: Collection[CommandHelp], slash: str) -> str:
    return listed(
        [f"{slash}{it.name}" for it in commands], f"{slash}help name explains one", most=_MOST_NAMES
    )


def _some(names: Sequence[str]) -> str:
    more = len(names) - _MOST_LISTED
    return ", ".join(names[:_MOST_LISTED]) + (f" and {more} more" if more > 0 else "")


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: max(most - 1, 0)].rstrip()}…" if most else ""


HELP = Command(
    name="help",
    summary="List the commands, or explain one.",
    group="Topics",
    usage="/help [command | --brief]",
    run=run,
)
