"""`/set`: list or assign the topic's variables and `$NAME` secrets."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from stringd.actions.environment.provenance_notices import describe_provenance
from stringd.api.commands import Command, Invocation
from stringd.api.provenance import BY_HAND, attributed
from stringd.api.replies import Reply
from stringd.api.secrets import SecretScope
from stringd.api.sessions import Topic
from stringd.errors import ErrorCode, Refusal
from stringd.processes.exported_variables import require_free
from stringd.sessions.answer_limit import check_limit
from stringd.text.assignments import Assignment, hidden, parse_assignments
from stringd.text.masking import masked_setting


async def run(invocation: Invocation) -> Reply:
    """List the variables, or assign all the given ones; if one is invalid, assign none."""
    session, line = invocation.session, invocation.line
    assignments = parse_assignments("\n".join(part for part in (line.arguments, line.body) if part))
    if not assignments:
        return Reply.page("Variables", "\n".join(variable_lines(invocation)) or "(none)")
    for it in assignments:
        require_free(it.name, it.target)
    added = {it.name: it.value for it in assignments if not it.secret}
    check_limit(added)
    invocation.topic.check_variables(added)
    # Store the secrets first: if that fails, no variable has changed.
    await _store_secrets(invocation, assignments)
    variables = {**session.state.variables, **attributed(added, BY_HAND)}
    session.remember(replace(session.state, variables=variables))
    return Reply.confirmation("\n".join(str(shown_assignment(it, invocation.topic)) for it in assignments))


async def _store_secrets(invocation: Invocation, assignments: tuple[Assignment, ...]) -> None:
    secrets = {it.name: it.value for it in assignments if it.secret}
    if secrets:
        await invocation.runtime.secrets.keep(_scope(invocation, next(iter(secrets))), secrets)


def _scope(invocation: Invocation, name: str) -> SecretScope:
    scope = invocation.topic.secret_scope()
    if scope is None:
        kind = invocation.session.name.type
        message = f"Topics of type {kind} keep no ${name}; {{{name}}} is a variable."
        shows_pages = invocation.session.shows_documents
        hints = ["For a form of a web page, open the page first."] if shows_pages else []
        raise Refusal(ErrorCode.INVALID_TARGET, message, *hints)
    return scope


def variable_lines(invocation: Invocation, *, all_sources: bool = False) -> Iterator[str]:
    """Yield the topic's variables and `$NAME`s, each with its provenance.

    The provenance of what the user or one of their documents set is omitted, unless `all_sources` asks for
    the documents too.
    """
    for name, it in sorted(invocation.session.state.variables.items()):
        line = str(Assignment(name=name, value=it.value, secret=False))
        shows_source = not (it.provenance.by_hand if all_sources else it.provenance.is_own)
        yield f"{line} — from {describe_provenance(it.provenance)}" if shows_source else line
    scope = invocation.topic.secret_scope()
    for name, value in sorted(invocation.runtime.secrets.of(scope).items() if scope else ()):
        yield str(shown_assignment(Assignment(name=name, value=value, secret=True), invocation.topic))


def shown_assignment(assignment: Assignment, topic: Topic) -> Assignment:
    """Return the assignment with its value masked if the topic keeps it secret."""
    return hidden(assignment) if assignment.secret and topic.is_secret(assignment.name) else assignment


SET = Command(
    name="set",
    summary="List this topic's variables, or set some.",
    group="Topics",
    usage='/set [{name} = "value" | $NAME = "value"]',
    run=run,
    takes_body=True,
    mask=masked_setting,
)
