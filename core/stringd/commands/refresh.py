"""`/refresh`: reload the current document."""

from __future__ import annotations

from stringd.actions.default_action import opened_reply
from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Reply
from stringd.documents.document_topic import document_topic, revisit
from stringd.documents.navigator import DocumentNavigator
from stringd.documents.paths.resolving import shown_uri


async def run(invocation: Invocation) -> Reply:
    """Load the document again from its source and show it."""
    navigator = DocumentNavigator(invocation)
    if navigator.location is None:
        raise document_topic(invocation.topic).nothing_open()
    opened = await navigator.reopen(navigator.location)
    revisit(invocation.session, opened)
    shown = shown_uri(opened.page.uri, invocation.session.user)
    return await opened_reply(invocation, opened, f"Refreshed {shown}")


REFRESH = Command(
    name="refresh",
    summary="Read the document again.",
    group="Reading",
    usage="/refresh",
    run=run,
    topic_types=TopicGroup.DOCUMENTS,
    takes_arguments=False,
)
