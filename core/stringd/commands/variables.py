"""`/set`: the topic's variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from stringd.contracts.commands import Command, Invocation
from stringd.contracts.replies import Reply
from stringd.errors import Refusal
from stringd.text.assignments import Assignment, mask_secrets, parse_assignments


async def run(invocation: Invocation) -> Reply:
    """List the variables, or assign some: all of them or, if one can't be read, none."""
    session, line = invocation.session, invocation.line
    assignments = parse_assignments("\n".join(part for part in (line.arguments, line.body) if part))
    if not assignments:
        return Reply.page("Variables", _listing(session.state.variables))
    for assignment in assignments:
        _refuse_secret(assignment, session.name.type)
    added = {assignment.name: assignment.value for assignment in assignments}
    session.remember(replace(session.state, variables={**session.state.variables, **added}))
    return Reply.confirmation("\n".join(map(str, assignments)))


def _listing(variables: Mapping[str, str]) -> str:
    shown = (Assignment(name=name, value=value, secret=False) for name, value in sorted(variables.items()))
    return "\n".join(map(str, shown)) or "(none)"


def _refuse_secret(assignment: Assignment, topic_type: str) -> None:
    if assignment.secret:
        message = (
            f"Topics of type {topic_type} keep no ${assignment.name}; {{{assignment.name}}} is a variable."
        )
        raise Refusal("INVALID_TARGET", message)


SET = Command(
    name="set",
    summary="List this topic's variables, or set some.",
    usage='/set [{name} = "value"]',
    run=run,
    takes_body=True,
    mask=mask_secrets,
)
