"""What this plugin adds to stringd."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.documents.topic import open_document_topic
from stringd.plugin import TopicType, hookimpl


@hookimpl
def stringd_topic_types() -> Iterable[TopicType]:
    """Add `app:name` topics."""
    return (
        TopicType(
            name="app",
            summary="Apps: documents that act.",
            open=open_document_topic,
            documents=True,
            takes_config=True,
        ),
    )
