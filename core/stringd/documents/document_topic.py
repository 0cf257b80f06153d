"""The context that a document topic keeps alive: the last page that was loaded from a URI."""

from __future__ import annotations

from stringd.api.sessions import Location, Topic
from stringd.documents.pages.page import Page
from stringd.errors import ErrorCode, Refusal


class DocumentTopic(Topic):
    """Keeps the last loaded page, so that questions about it do not load it again."""

    def __init__(self) -> None:
        self.loaded: Page | None = None

    def nothing_open(self) -> Refusal:
        """Return the refusal of a command that needs a document, in a topic without one."""
        return Refusal(ErrorCode.INVALID_TARGET, "No document is open.")

    def start(self) -> Location | None:
        """Return the initial document of the topic, if it has one."""
        return None


def document_topic(topic: Topic) -> DocumentTopic:
    """Return a topic's document context; a topic type without one loads pages anew each time."""
    return topic if isinstance(topic, DocumentTopic) else DocumentTopic()
