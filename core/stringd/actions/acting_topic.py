"""The base of topics whose documents have actions: it masks the secrets in the calls that it shows."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from stringd.actions.arguments.call_text import mask_call
from stringd.api.secrets import SecretScope, site_scope
from stringd.api.sessions import Session, Topic
from stringd.api.topic_types import TopicContext
from stringd.documents.document_topic import DocumentTopic
from stringd.files.typed_paths import FILE_URI
from stringd.text.uris import is_hierarchical
from stringd.text.web_urls import origin_of


class ActingTopic(DocumentTopic):
    """A topic that knows which form fields of the last fetched page are secret."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session

    def secret_scope(self) -> SecretScope | None:
        """Return the scope of the site whose page is open, as its forms take secrets."""
        document = self._session.state.document
        origin = origin_of(document.uri) if document else None
        return site_scope(self._session.user.id, origin) if origin else None

    def masked(self, text: str) -> str:
        """Mask the values that a call passes to secret form fields."""
        location = self._session.state.document or self.start()
        if location is None:
            return mask_call(text, None)
        if location.uri.startswith(FILE_URI):
            return text
        if self.loaded and self.loaded.uri == location.uri:
            return mask_call(text, self.loaded.sheet.actions.actions)
        # After a restart the forms are unknown until the page is fetched, but labels are shown before that.
        return mask_call(text, None) if is_hierarchical(location.uri) else text


@asynccontextmanager
async def open_document_topic(context: TopicContext) -> AsyncIterator[Topic]:
    """Open a topic that has not fetched any page."""
    yield ActingTopic(context.session)
