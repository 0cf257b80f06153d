"""`/source`: show the unrendered source of the current document."""

from __future__ import annotations

from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Overflow, Reply
from stringd.documents.navigator import DocumentNavigator
from stringd.documents.syntax.structured import is_verbatim


async def run(invocation: Invocation) -> Reply:
    """Show the document's text as stored or as received."""
    navigator = DocumentNavigator(invocation)
    shown, text = await navigator.source()
    path = navigator.here().path
    # What is not Markdown has no headings: `# ...` is a comment there.
    overflow = Overflow.LINES if path and is_verbatim(path) else Overflow.PARTS
    return Reply.page(f"[source: {shown}]", text, overflow=overflow)


SOURCE = Command(
    name="source",
    summary="Show the document as it is stored, or as it came.",
    group="Reading",
    usage="/source",
    run=run,
    topic_types=TopicGroup.DOCUMENTS,
    takes_arguments=False,
)
