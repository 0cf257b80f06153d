"""What a document topic keeps alive: what it has seen of files."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path

from stringd.contracts.sessions import Topic
from stringd.contracts.topics import TopicContext
from stringd.documents.page import Page


def digest(text: str) -> str:
    """Return what tells a text from every other one."""
    return sha256(text.encode(errors="surrogatepass")).hexdigest()


class DocumentTopic(Topic):
    """Remembers each file as this topic saw it last, so that an edit of something else can be refused."""

    def __init__(self) -> None:
        self._seen: dict[Path, str | None] = {}
        self.fetched: Page | None = None
        """The page that was fetched last: asking about it fetches nothing."""

    def saw(self, path: Path, text: str | None) -> None:
        """Note what a file held when it was opened, viewed or written; None when it was removed."""
        self._seen[path] = _digest(text)

    def is_stale(self, path: Path, text: str | None) -> bool:
        """Whether this topic has seen the file, and it held something else then."""
        return path in self._seen and self._seen[path] != _digest(text)


def seen_by(topic: Topic) -> DocumentTopic:
    """Return the memory of a document topic; one of a plugin's own kind may have none, and sees all anew."""
    return topic if isinstance(topic, DocumentTopic) else DocumentTopic()


@asynccontextmanager
async def open_document_topic(_: TopicContext) -> AsyncIterator[Topic]:
    """Open a topic that has seen nothing yet."""
    yield DocumentTopic()


def _digest(text: str | None) -> str | None:
    return None if text is None else digest(text)
