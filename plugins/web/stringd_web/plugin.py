"""What this plugin adds to stringd."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.documents.topic import open_document_topic
from stringd.plugin import TopicType, hookimpl


@hookimpl
def stringd_topic_types() -> Iterable[TopicType]:
    """Add `web:name` topics."""
    return (
        TopicType(
            name="web",
            summary="Web pages, read as documents.",
            open=open_document_topic,
            documents=True,
        ),
    )
