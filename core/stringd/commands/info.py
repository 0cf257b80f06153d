"""`/info`: where the topic is."""

from __future__ import annotations

from collections.abc import Iterator

from stringd.contracts.commands import Command, Invocation
from stringd.contracts.replies import Reply


async def run(invocation: Invocation) -> Reply:
    """Describe the session."""
    return Reply.page("Session info", "\n".join(f"{key}: {value}" for key, value in _facts(invocation)))


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
    yield from ((f"  {{{name}}}", value) for name, value in sorted(state.variables.items()))


INFO = Command(
    name="info",
    summary="Show where this topic is: document, directory, history, variables.",
    usage="/info",
    run=run,
)
