"""`/open`, `/back` and `/refresh`: which document the topic shows."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from stringd.actions.default import shown_page
from stringd.contracts.commands import Command, Invocation, TopicGroup
from stringd.contracts.replies import Reply
from stringd.documents.desk import Desk
from stringd.documents.directory import list_directory
from stringd.documents.files import is_directory
from stringd.documents.forms import CONFIRM
from stringd.documents.parts import PART
from stringd.documents.paths import shown_document
from stringd.documents.spots import Opened, Spot
from stringd.documents.topic import kept_by
from stringd.errors import Refusal
from stringd.text.path_arguments import PathArguments, parse_path_arguments
from stringd.threads import STORAGE

MOST_HISTORY = 100
FULL = "--full"
CONFIRMED = f"--{CONFIRM}"
_NOTHING = PathArguments(path="")
_NUMBER = re.compile(r"-?\d{1,4000}", re.ASCII)
_PASSING = "LOAD_ERROR"


async def _open(invocation: Invocation) -> Reply:
    loading = invocation.daemon.load_options
    arguments = parse_path_arguments(invocation.line.arguments, FULL, CONFIRMED, *loading, valued=(PART,))
    if arguments == _NOTHING:
        raise Refusal("INVALID_TARGET", "Nothing to open.", f"Usage: {OPEN.usage}")
    desk = Desk(invocation)
    confirmed = CONFIRMED in arguments.options
    spot = await desk.find(arguments.path, confirmed=confirmed) if arguments.path else desk.here()
    spot = _asked_for(spot, arguments)
    if spot.path and is_directory(spot.path, spot.shown):
        return await _open_directory(invocation, spot, spot.path)
    opened = await desk.open(spot)
    visit(invocation, opened)
    return Reply.page(f"Opened {opened.spot.shown}", await shown_page(invocation, opened))


def _asked_for(spot: Spot, arguments: PathArguments) -> Spot:
    options, part = arguments.options - {CONFIRMED}, _part(arguments)
    if not options:
        return spot if part == spot.part else replace(spot, part=part)
    if not spot.uri:
        raise Refusal("INVALID_PAYLOAD", f"Files are opened without {min(options)}: {spot.shown}")
    words = frozenset(it.removeprefix("--") for it in options - {FULL})
    return replace(spot, here=False, part=part, full=FULL in options, options=words)


def _part(arguments: PathArguments) -> int:
    wanted = arguments.values.get(PART)
    if wanted is None:
        return 1
    if not _NUMBER.fullmatch(wanted):
        raise Refusal("INVALID_PARAMS", f"{PART} takes the number of a part, not {wanted}")
    return int(wanted)


async def _open_directory(invocation: Invocation, spot: Spot, path: Path) -> Reply:
    if spot.block:
        raise Refusal("INVALID_TARGET", f"A directory has no blocks: {spot.shown}")
    listing = await STORAGE.run(list_directory, path, spot.shown, hidden=False)
    invocation.session.remember(replace(invocation.session.state, directory=str(path)))
    return Reply.page(f"Listing {spot.shown.rstrip('/')}/", listing)


async def _back(invocation: Invocation) -> Reply:
    history = invocation.session.state.history
    if not history:
        raise Refusal("NO_HISTORY", "There is no document before this one.")
    try:
        opened = await Desk(invocation).reopen(history[-1])
    except Refusal as refusal:
        raise _dropped(invocation, refusal) from refusal
    state = invocation.session.state
    before = replace(state, document=opened.place, history=history[:-1], directory=None)
    invocation.session.remember(before)
    return Reply.page(f"Back to {_shown(invocation, opened)}", await shown_page(invocation, opened))


async def _refresh(invocation: Invocation) -> Reply:
    desk = Desk(invocation)
    if desk.place is None:
        raise kept_by(invocation.topic).nothing_open()
    opened = await desk.reopen(desk.place)
    invocation.session.remember(replace(invocation.session.state, document=opened.place))
    return Reply.page(f"Refreshed {_shown(invocation, opened)}", await shown_page(invocation, opened))


def _dropped(invocation: Invocation, refusal: Refusal) -> Refusal:
    """Forget the document before this one, unless it may be there again the next time."""
    if refusal.code == _PASSING:
        return refusal
    state = invocation.session.state
    invocation.session.remember(replace(state, history=state.history[:-1]))
    return Refusal(refusal.code, refusal.message, *refusal.context, "The next /back goes further back.")


def _shown(invocation: Invocation, opened: Opened) -> str:
    return shown_document(opened.place, invocation.session.user)


def visit(invocation: Invocation, opened: Opened) -> None:
    """Make what was opened the topic's document; what a form has brought is always a step of the history."""
    state, place = invocation.session.state, opened.place
    history = state.history
    if state.document and (state.document.uri != place.uri or opened.spot.submission):
        history = (*history, state.document)[-MOST_HISTORY:]
    if (state.document, state.history, state.directory) != (place, history, None):
        invocation.session.remember(replace(state, document=place, history=history, directory=None))


OPEN = Command(
    name="open",
    summary="Open a document: a path, a URL, @shortcut, #block, or a directory.",
    usage="/open path | path#block | #block | @id | @menu.id | url | directory"
    " [--full] [--part N] [--confirm]",
    run=_open,
    topic_types=TopicGroup.DOCUMENTS,
)
BACK = Command(
    name="back",
    summary="Go back to the document before this one.",
    usage="/back",
    run=_back,
    topic_types=TopicGroup.DOCUMENTS,
    takes_arguments=False,
)
REFRESH = Command(
    name="refresh",
    summary="Read this topic's document again.",
    usage="/refresh",
    run=_refresh,
    topic_types=TopicGroup.DOCUMENTS,
    takes_arguments=False,
)
