"""`/open`, `/back` and `/refresh`: which document the topic shows."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from stringd.actions.default_action import render_opened
from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Reply
from stringd.documents.document_topic import kept_by
from stringd.documents.navigator import DocumentNavigator
from stringd.documents.pagination.parts import PART
from stringd.documents.paths.directory_listing import list_directory
from stringd.documents.paths.resolving import shown_document
from stringd.documents.paths.text_files import is_directory
from stringd.documents.syntax.forms import CONFIRM
from stringd.documents.targets import OpenedPage, Target
from stringd.errors import Refusal
from stringd.text.path_arguments import PathArguments, parse_path_arguments
from stringd.workers.threads import STORAGE

MOST_HISTORY = 100
FULL = "--full"
CONFIRMED = f"--{CONFIRM}"
_NOTHING = PathArguments(path="")
_NUMBER = re.compile(r"-?\d{1,4000}", re.ASCII)
_PASSING = "LOAD_ERROR"


async def _open(invocation: Invocation) -> Reply:
    loading = invocation.runtime.load_options
    arguments = parse_path_arguments(invocation.line.arguments, FULL, CONFIRMED, *loading, valued=(PART,))
    if arguments == _NOTHING:
        raise Refusal("INVALID_TARGET", "Nothing to open.", f"Usage: {OPEN.usage}")
    navigator = DocumentNavigator(invocation)
    confirmed = CONFIRMED in arguments.options
    target = await navigator.find(arguments.path, confirmed=confirmed) if arguments.path else navigator.here()
    target = _asked_for(target, arguments)
    if target.path and is_directory(target.path, target.shown):
        return await _open_directory(invocation, target, target.path)
    opened = await navigator.open(target)
    visit(invocation, opened)
    return Reply.page(f"Opened {opened.target.shown}", await render_opened(invocation, opened))


def _asked_for(target: Target, arguments: PathArguments) -> Target:
    options, part = arguments.options - {CONFIRMED}, _part(arguments)
    if not options:
        return target if part == target.part else replace(target, part=part)
    if not target.uri:
        raise Refusal("INVALID_PAYLOAD", f"Files are opened without {min(options)}: {target.shown}")
    words = frozenset(it.removeprefix("--") for it in options - {FULL})
    return replace(target, here=False, part=part, full=FULL in options, options=words)


def _part(arguments: PathArguments) -> int:
    wanted = arguments.values.get(PART)
    if wanted is None:
        return 1
    if not _NUMBER.fullmatch(wanted):
        raise Refusal("INVALID_PARAMS", f"{PART} takes the number of a part, not {wanted}")
    return int(wanted)


async def _open_directory(invocation: Invocation, target: Target, path: Path) -> Reply:
    if target.block:
        raise Refusal("INVALID_TARGET", f"A directory has no blocks: {target.shown}")
    listing = await STORAGE.run(list_directory, path, target.shown, hidden=False)
    invocation.session.remember(replace(invocation.session.state, directory=str(path)))
    return Reply.page(f"Listing {target.shown.rstrip('/')}/", listing)


async def _back(invocation: Invocation) -> Reply:
    history = invocation.session.state.history
    if not history:
        raise Refusal("NO_HISTORY", "There is no document before this one.")
    try:
        opened = await DocumentNavigator(invocation).reopen(history[-1])
    except Refusal as refusal:
        raise _dropped(invocation, refusal) from refusal
    state = invocation.session.state
    before = replace(state, document=opened.place, history=history[:-1], directory=None)
    invocation.session.remember(before)
    return Reply.page(f"Back to {_shown(invocation, opened)}", await render_opened(invocation, opened))


async def _refresh(invocation: Invocation) -> Reply:
    navigator = DocumentNavigator(invocation)
    if navigator.place is None:
        raise kept_by(invocation.topic).nothing_open()
    opened = await navigator.reopen(navigator.place)
    invocation.session.remember(replace(invocation.session.state, document=opened.place))
    return Reply.page(f"Refreshed {_shown(invocation, opened)}", await render_opened(invocation, opened))


def _dropped(invocation: Invocation, refusal: Refusal) -> Refusal:
    """Forget the document before this one, unless it may be there again the next time."""
    if refusal.code == _PASSING:
        return refusal
    state = invocation.session.state
    invocation.session.remember(replace(state, history=state.history[:-1]))
    return Refusal(refusal.code, refusal.message, *refusal.context, "The next /back goes further back.")


def _shown(invocation: Invocation, opened: OpenedPage) -> str:
    return shown_document(opened.place, invocation.session.user)


def visit(invocation: Invocation, opened: OpenedPage) -> None:
    """Make what was opened the topic's document; what a form has brought is always a step of the history."""
    state, place = invocation.session.state, opened.place
    history = state.history
    if state.document and (state.document.uri != place.uri or opened.target.submission):
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
