"""`/back`: return to the previous document."""

from __future__ import annotations

from stringd.actions.default_action import opened_reply
from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Reply
from stringd.documents.document_topic import MOST_LOCATIONS, drop_last, go_back
from stringd.documents.navigator import DocumentNavigator
from stringd.documents.paths.resolving import shown_uri
from stringd.errors import ErrorCode, Refusal

_TEMPORARY = ErrorCode.LOAD_ERROR


async def run(invocation: Invocation) -> Reply:
    """Reload the last document of the history and show it."""
    history = invocation.session.state.history
    if not history:
        kept = f"A topic keeps its last {MOST_LOCATIONS} documents."
        raise Refusal(ErrorCode.NO_HISTORY, "There is no document before this one.", kept)
    try:
        opened = await DocumentNavigator(invocation).reopen(history[-1])
    except Refusal as refusal:
        if refusal.code == _TEMPORARY:
            raise
        drop_last(invocation.session)
        context = (*refusal.context, "The next /back goes further back.")
        raise Refusal(refusal.code, refusal.message, *context) from refusal
    go_back(invocation.session, opened)
    shown = shown_uri(opened.page.uri, invocation.session.user)
    return await opened_reply(invocation, opened, f"Back to {shown}")


BACK = Command(
    name="back",
    summary="Go back to the document before this one.",
    group="Reading",
    usage="/back",
    run=run,
    topic_types=TopicGroup.DOCUMENTS,
    takes_arguments=False,
)
