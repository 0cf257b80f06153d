"""`/refresh`: reload the current document."""

from __future__ import annotations

from stringd.actions.default_action import render_opened
from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Reply
from stringd.documents.document_topic import document_topic
from stringd.documents.navigator import DocumentNavigator
from stringd.documents.paths.resolving import shown_uri
from stringd.documents.visited_pages import revisit


async def run(invocation: Invocation) -> Reply:
    """Load the document again from its source and show it."""
    navigator = DocumentNavigator(invocation)
    if navigator.location is None:
        raise document_topic(invocation.topic).nothing_open()
    opened = await navigator.reopen(navigator.location)
    revisit(invocation.session, opened)
    shown = shown_uri(opened.page.uri, invocation.session.user)
    return Reply.page(f"Refreshed {shown}", await render_opened(invocation, opened))


REFRESH = Command(
    name="refresh",
    summary="Read this topic's document again.",
    usage="/refresh",
    run=run,
    topic_types=TopicGroup.DOCUMENTS,
    takes_arguments=False,
)
