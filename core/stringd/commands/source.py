"""`/source`: show the unrendered source of the current document."""

from __future__ import annotations

from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Reply
from stringd.documents.navigator import DocumentNavigator


async def run(invocation: Invocation) -> Reply:
    """Show the document's text as stored or as received."""
    shown, text = await DocumentNavigator(invocation).source()
    return Reply.page(f"[source: {shown}]", text)


SOURCE = Command(
    name="source",
    summary="Show this topic's document as it is on the disk or came over the wire.",
    usage="/source",
    run=run,
    topic_types=TopicGroup.DOCUMENTS,
    takes_arguments=False,
)
