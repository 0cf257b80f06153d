"""`/set`: the topic's variables, and the `$NAME`s of those that keep some."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from stringd.actions.environment.provenance_notices import describe_provenance
from stringd.api.commands import Command, Invocation
from stringd.api.provenance import BY_HAND, attributed
from stringd.api.replies import Reply
from stringd.api.secrets import SecretScope
from stringd.api.sessions import Topic
from stringd.errors import Refusal
from stringd.processes.exported_variables import require_free
from stringd.text.assignments import Assignment, hidden, parse_assignments
from stringd.text.masking import masked_setting


async def run(invocation: Invocation) -> Reply:
    """List the variables, or assign some: all of them or, if one can't be taken, none."""
    session, line = invocation.session, invocation.line
    assignments = parse_assignments("\n".join(part for part in (line.arguments, line.body) if part))
    if not assignments:
        return Reply.page("Variables", "\n".join(variable_lines(invocation)) or "(none)")
    for it in assignments:
        require_free(it.name, it.target)
    added = {it.name: it.value for it in assignments if not it.secret}
    invocation.topic.check_variables(added)
    # First what may fail to reach the disk: whatever is refused, is refused whole.
    await _keep_secrets(invocation, assignments)
    variables = {**session.state.variables, **attributed(added, BY_HAND)}
    session.remember(replace(session.state, variables=variables))
    return Reply.confirmation("\n".join(str(_shown(it, invocation.topic)) for it in assignments))


def variable_lines(invocation: Invocation, *, all_sources: bool = False) -> Iterator[str]:
    """Yield the topic's variables and its `$NAME`s as they may be shown, with who has brought them.

    That is told of what the user or a document of the user's own has set only if `all_sources` are asked for.
    """
    for name, it in sorted(invocation.session.state.variables.items()):
        line = str(Assignment(name=name, value=it.value, secret=False))
        is_told = not (it.provenance.by_hand if all_sources else it.provenance.is_own)
        yield f"{line} — from {describe_provenance(it.provenance)}" if is_told else line
    scope = invocation.topic.secret_scope()
    for name, value in sorted(invocation.runtime.secrets.of(scope).items() if scope else ()):
        yield str(_shown(Assignment(name=name, value=value, secret=True), invocation.topic))


async def _keep_secrets(invocation: Invocation, assignments: tuple[Assignment, ...]) -> None:
    secrets = {it.name: it.value for it in assignments if it.secret}
    if secrets:
        await invocation.runtime.secrets.keep(_scope(invocation, next(iter(secrets))), secrets)


def _scope(invocation: Invocation, name: str) -> SecretScope:
    scope = invocation.topic.secret_scope()
    if scope is None:
        kind = invocation.session.name.type
        message = f"Topics of type {kind} keep no ${name}; {{{name}}} is a variable."
        raise Refusal("INVALID_TARGET", message, "A topic app:name keeps those of its app.")
    return scope


def _shown(assignment: Assignment, topic: Topic) -> Assignment:
    return hidden(assignment) if assignment.secret and topic.is_secret(assignment.name) else assignment


SET = Command(
    name="set",
    summary="List this topic's variables, or set some; an app topic keeps $NAMEs too.",
    usage='/set [{name} = "value" | $NAME = "value"]',
    run=run,
    takes_body=True,
    mask=masked_setting,
)
