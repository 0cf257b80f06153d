"""The topic's history of documents."""

from __future__ import annotations

from dataclasses import replace

from stringd.api.commands import Invocation
from stringd.api.sessions import Location
from stringd.documents.targets import OpenedPage

MOST_LOCATIONS = 100


def visit(invocation: Invocation, opened: OpenedPage) -> None:
    """Make the opened page the topic's document and push the previous one onto the history.

    Reopening the current URI adds no entry, unless the page is the response to a submitted form.
    """
    state, location = invocation.session.state, opened.location
    history = state.history
    if state.document and (state.document.uri != location.uri or opened.target.options.submission):
        history = (*history, state.document)[-MOST_LOCATIONS:]
    if (state.document, state.history, state.directory) != (location, history, None):
        invocation.session.remember(replace(state, document=location, history=history, directory=None))


def go_back(invocation: Invocation, location: Location) -> None:
    """Pop the last entry of the history and make its reloaded location the current document."""
    state = invocation.session.state
    before = replace(state, document=location, history=state.history[:-1], directory=None)
    invocation.session.remember(before)


def drop_last(invocation: Invocation) -> None:
    """Remove the last entry of the history."""
    state = invocation.session.state
    invocation.session.remember(replace(state, history=state.history[:-1]))
