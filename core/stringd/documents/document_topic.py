"""The document of a topic: the page that it is at, its history, and the page that was loaded last."""

from __future__ import annotations

from msgspec.structs import replace

from stringd.api.sessions import Location, Session, Topic
from stringd.documents.editing.seen_files import with_seen
from stringd.documents.pages.page import Page
from stringd.documents.targets import OpenedPage
from stringd.errors import ErrorCode, Refusal

MOST_LOCATIONS = 200


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


def loaded_page(session: Session) -> Page | None:
    """Return the page that a topic is at, as it was loaded last; None if it is not in memory."""
    topic, location = session.topic, session.state.document
    page = topic.loaded if isinstance(topic, DocumentTopic) else None
    return page if page and location and page.uri == location.uri else None


def visit(session: Session, opened: OpenedPage) -> None:
    """Make the opened page the topic's document and push the previous one onto the history.

    Reopening the current URI adds no entry, unless the page is the response to a submitted form.
    """
    state = session.state
    history = state.history
    if state.document and (state.document.uri != opened.page.uri or opened.target.options.submission):
        history = (*history, state.document)[-MOST_LOCATIONS:]
    _move(session, opened, history, None)


def revisit(session: Session, opened: OpenedPage) -> None:
    """Make the reloaded page the topic's document."""
    _move(session, opened, session.state.history, session.state.directory)


def go_back(session: Session, opened: OpenedPage) -> None:
    """Make the last entry of the history, which was reloaded, the topic's document."""
    _move(session, opened, session.state.history[:-1], None)


def drop_last(session: Session) -> None:
    """Remove the last entry of the history."""
    state = session.state
    session.remember(replace(state, history=state.history[:-1]))


def _move(session: Session, opened: OpenedPage, history: tuple[Location, ...], directory: str | None) -> None:
    """Remember where the topic is and what it has seen of files, in one step."""
    state, block, page = session.state, opened.target.block, opened.page
    seen, title = with_seen(state.seen, opened.files), page.title
    location = Location(
        uri=page.uri,
        title=title,
        block=f"#{block}" if block else None,
        lines=opened.target.lines,
        part=opened.part,
        options=page.options,
    )
    is_known = (state.document, state.history, state.directory) == (location, history, directory)
    if not is_known or seen is not state.seen:
        session.remember(replace(state, document=location, history=history, directory=directory, seen=seen))
