"""`/close`: reset the topic."""

from __future__ import annotations

from stringd.api.commands import Command, Invocation
from stringd.api.replies import Reply
from stringd.api.sessions import State
from stringd.documents.paths.resolving import shown_document
from stringd.errors import ErrorCode, Refusal


async def run(invocation: Invocation) -> Reply:
    """Discard the state of the topic and its plugins, and end the topic's context."""
    session = invocation.session
    location = session.state.document
    if location is None and session.shows_documents:
        raise Refusal(ErrorCode.INVALID_TARGET, "No document is open.")
    await session.end_topic()
    await invocation.runtime.undo.forget(session)
    session.remember(State())
    session.data.clear()
    return Reply.confirmation(
        f"Closed: {shown_document(location, session.user) if location else session.name}"
    )


CLOSE = Command(
    name="close",
    summary="Forget the document, history, variables and edits.",
    group="Topics",
    usage="/close",
    run=run,
    takes_arguments=False,
)
