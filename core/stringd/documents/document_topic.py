"""What a document topic keeps alive: the page that it fetched last."""

from __future__ import annotations

from stringd.api.sessions import Location, Topic
from stringd.documents.pages.page import Page
from stringd.errors import Refusal


class DocumentTopic(Topic):
    """Remembers the page that was fetched last: asking about it fetches nothing."""

    def __init__(self) -> None:
        self.fetched: Page | None = None

    def nothing_open(self) -> Refusal:
        """Return the refusal of a command that needs a document, in a topic without one."""
        return Refusal("INVALID_TARGET", "No document is open.")

    def start(self) -> Location | None:
        """Return the document that the topic shows before any was opened in it, if it has one."""
        return None


def kept_by(topic: Topic) -> DocumentTopic:
    """Return what a document topic keeps; one of a plugin's own kind keeps nothing, and fetches anew."""
    return topic if isinstance(topic, DocumentTopic) else DocumentTopic()
