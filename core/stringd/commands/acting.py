"""`/act`: what the current document can do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from stringd.actions.call import read_call
from stringd.actions.environment import environment_of
from stringd.actions.running import Running
from stringd.actions.schema import call_of, schema_of
from stringd.contracts.commands import Command, CommandLine, Invocation, TopicGroup
from stringd.contracts.replies import Reply
from stringd.documents.actions import Action
from stringd.documents.desk import Desk
from stringd.errors import Refusal
from stringd.text.nearest import nearest

_CALL = re.compile(r"/{1,2}[^\s.]+(?:\.(?P<member>\S*))?[^\S\n]*(?P<typed>.*)", re.DOTALL)
_NAMED = re.compile(r"(?P<name>\S+)[^\S\n]*(?P<typed>.*)", re.DOTALL)
_NONE = "(none)"


async def _act(invocation: Invocation) -> Reply:
    page = await Desk(invocation).current()
    environment = environment_of(invocation, page)
    actions = environment.actions_of(page)
    name, typed = _called(invocation.line)
    if name is None:
        return Reply.page("Actions", "\n".join(map(call_of, actions.values())) or _NONE)
    action = actions.get(name)
    if action is None:
        raise _unknown(name, actions)
    call = read_call(action, typed, invocation.session, environment)
    if call.wants_help or (call.is_bare and call.missing):
        summary = environment.functions[name].summary if name in environment.functions else ""
        return Reply.page(f"Action: {name}", schema_of(action, summary))
    return await Running(invocation=invocation, page=page, environment=environment, call=call).reply()


def _called(line: CommandLine) -> tuple[str | None, str]:
    """Return the action that is meant, if one is, and what was typed behind it."""
    found = _CALL.fullmatch(line.text)
    assert found is not None
    if found["member"] is not None:
        return found["member"].lower(), found["typed"]
    if not found["typed"]:
        return None, ""
    named = _NAMED.fullmatch(found["typed"])
    if named is None:
        raise Refusal(
            "INVALID_PAYLOAD", "The action's name stands behind the command.", f"Usage: {ACT.usage}"
        )
    return named["name"].lower(), named["typed"]


def _unknown(name: str, actions: Mapping[str, Action]) -> Refusal:
    meant = nearest(name, actions)
    known = ", ".join(f"/act.{it}" for it in actions) or _NONE
    context = [f"actions: {known}", *([f"nearest: /act.{meant}"] if meant else [])]
    return Refusal("ACTION_NOT_FOUND", f"Action not found: {name}", *context)


ACT = Command(
    name="act",
    summary="List what this document can do, or do it: /act.name --help tells how.",
    usage="/act | /act.name [value] [--flag value] | /act name ...",
    run=_act,
    topic_types=TopicGroup.DOCUMENTS,
    takes_body=True,
    takes_members=True,
)
ACTION = replace(ACT, name="action", summary="The same as /act.", usage=ACT.usage.replace("/act", "/action"))
