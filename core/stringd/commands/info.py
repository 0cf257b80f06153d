"""`/info`: where the topic is."""

from __future__ import annotations

from collections.abc import Iterator

from stringd.contracts.commands import Command, Invocation
from stringd.contracts.replies import Reply
from stringd.contracts.sessions import State
from stringd.text.assignments import Assignment


async def run(invocation: Invocation) -> Reply:
    """Describe the session."""
    facts = [f"{key}: {value}" for key, value in _facts(invocation)]
    return Reply.page("Session info", "\n".join((*facts, *_variables(invocation.session.state))))


def _facts(invocation: Invocation) -> Iterator[tuple[str, object]]:
    session, state = invocation.session, invocation.session.state
    yield "topic", session.name
    yield "user", session.user.id
    yield "cwd", state.directory or session.user.home
    if state.document:
        yield "uri", state.document.uri
        yield "title", state.document.title or "(none)"
        yield "block", state.document.block or "(whole document)"
    yield from invocation.topic.info().items()
    yield "history", len(state.history)
    yield "variables", len(state.variables)


def _variables(state: State) -> Iterator[str]:
    for name, value in sorted(state.variables.items()):
        yield f"  {Assignment(name=name, value=value, secret=False)}"


INFO = Command(
    name="info",
    summary="Show where this topic is: document, directory, history, variables.",
    usage="/info",
    run=run,
    takes_arguments=False,
)
