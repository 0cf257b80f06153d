"""A topic of documents that act: what it shows of a call holds no secret."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from stringd.actions.arguments.command_text import masked_call
from stringd.api.sessions import Session, Topic
from stringd.api.topics import TopicContext
from stringd.documents.document_topic import DocumentTopic
from stringd.documents.paths.resolving import file_of
from stringd.documents.paths.uris import is_hierarchical


class ActingTopic(DocumentTopic):
    """Knows the forms of the page that it fetched last, and so which of their fields are secret."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session

    def masked(self, text: str) -> str:
        """Hide what a call passes to the secret fields of a form."""
        place = self._session.state.document or self.start()
        if place is None:
            return masked_call(text, None)
        if file_of(place.uri):
            return text
        if self.loaded and self.loaded.uri == place.uri:
            return masked_call(text, self.loaded.sheet.actions.actions)
        # After a restart nobody knows the page's forms until they are fetched, with the label shown already.
        return masked_call(text, None) if is_hierarchical(place.uri) else text


@asynccontextmanager
async def open_document_topic(context: TopicContext) -> AsyncIterator[Topic]:
    """Open a topic that has fetched nothing yet."""
    yield ActingTopic(context.session)
