"""The page that a topic is at, and its history of documents."""

from __future__ import annotations

from dataclasses import replace

from stringd.api.sessions import Location, Session
from stringd.documents.editing.seen_files import with_seen
from stringd.documents.targets import OpenedPage

MOST_LOCATIONS = 200


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
