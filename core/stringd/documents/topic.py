"""What a document topic keeps alive: the page that it fetched last."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from stringd.actions.called import masked_call
from stringd.contracts.sessions import Place, Session, Topic
from stringd.contracts.topics import TopicContext
from stringd.documents.page import Page
from stringd.documents.paths import file_of
from stringd.documents.uris import is_hierarchical
from stringd.errors import Refusal


class DocumentTopic(Topic):
    """Remembers the page that was fetched last: asking about it fetches nothing."""

    def __init__(self, session: Session | None = None) -> None:
        self.fetched: Page | None = None
        self._its_session = session

    def masked(self, text: str) -> str:
        """Hide what a call passes to the secret fields of a form."""
        place = self._its_session.state.document if self._its_session else None
        if place is None or file_of(place.uri):
            return text
        if self.fetched and self.fetched.uri == place.uri:
            return masked_call(text, self.fetched.sheet.actions.actions)
        # After a restart nobody knows the page's forms until they are fetched, with the label shown already.
        return masked_call(text, None) if is_hierarchical(place.uri) else text

    def nothing_open(self) -> Refusal:
        """Return the refusal of a command that needs a document, in a topic without one."""
        return Refusal("INVALID_TARGET", "No document is open.")

    def start(self) -> Place | None:
        """Return the document that the topic shows before any was opened in it, if it has one."""
        return None


def kept_by(topic: Topic) -> DocumentTopic:
    """Return what a document topic keeps; one of a plugin's own kind keeps nothing, and fetches anew."""
    return topic if isinstance(topic, DocumentTopic) else DocumentTopic()


@asynccontextmanager
async def open_document_topic(context: TopicContext) -> AsyncIterator[Topic]:
    """Open a topic that has fetched nothing yet."""
    yield DocumentTopic(context.session)
