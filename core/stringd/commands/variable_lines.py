"""Variables and secrets as lines of a reply, with hidden values masked."""

from __future__ import annotations

from collections.abc import Iterator

from stringd.actions.environment.provenance_notices import describe_provenance
from stringd.api.commands import Invocation
from stringd.api.sessions import Topic
from stringd.text.assignments import Assignment, hidden


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
