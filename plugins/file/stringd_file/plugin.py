"""What this plugin adds to stringd."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.plugin import TopicType, hookimpl
from stringd.plugin.actions import open_document_topic


@hookimpl
def stringd_topic_types() -> Iterable[TopicType]:
    """Add `file:name` topics."""
    return (
        TopicType(
            name="file",
            summary="Files and the documents in them.",
            open=open_document_topic,
            documents=True,
            brief="Your files, and the documents in them. Paths are relative to the directory of the open "
            "document, or to an opened directory; `~/` is the home. PDF, office and table files are read as "
            "Markdown.",
        ),
    )
