"""`/open`: show a document or list a directory."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec.structs import replace

from stringd.actions.default_action import opened_reply
from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Reply
from stringd.commands.open_save import SAVE, save
from stringd.commands.open_several import open_several, several_files
from stringd.commands.path_hints import with_nearest_path
from stringd.documents.document_topic import visit
from stringd.documents.editing.large_files import is_large
from stringd.documents.editing.line_pages import large_block_lines
from stringd.documents.navigator import DocumentNavigator
from stringd.documents.pagination.numbered_parts import PART
from stringd.documents.paths.directory_listing import list_directory
from stringd.documents.paths.text_files import NoText
from stringd.documents.syntax.forms import CONFIRM
from stringd.documents.targets import Target
from stringd.errors import ErrorCode, Refusal
from stringd.files.typed_paths import is_directory
from stringd.text.path_arguments import PathArguments, parse_path_arguments
from stringd.workers.threads import READING, STORAGE

FULL, OUTLINE = "--full", "--outline"
PAGES = "--pages"
CONFIRMED = f"--{CONFIRM}"
_NAMES_NOTHING = (ErrorCode.NOT_FOUND, ErrorCode.BLOCK_NOT_FOUND)
_NO_ARGUMENTS = PathArguments(path="")
_NUMBER = re.compile(r"-?\d{1,4000}", re.ASCII)
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?", re.ASCII)


@with_nearest_path
async def run(invocation: Invocation) -> Reply:
    """Open a path, URI, shortcut or block; without one, open the current document again."""
    flags = invocation.runtime.load_options
    valued = (PART, PAGES, SAVE)
    known = (FULL, CONFIRMED, OUTLINE, *flags)
    arguments = parse_path_arguments(invocation.line.arguments, *known, valued=valued)
    if arguments == _NO_ARGUMENTS:
        raise Refusal(ErrorCode.INVALID_TARGET, "Nothing to open.", f"Usage: {OPEN.usage}")
    navigator = DocumentNavigator(invocation)
    confirmed = CONFIRMED in arguments.options
    target = await navigator.find(arguments.path, confirmed=confirmed) if arguments.path else navigator.here()
    if SAVE in arguments.values:
        _refuse_views(arguments)
        return await save(invocation, target, arguments.values[SAVE])
    if arguments.options or arguments.values:
        target = _with_options(target, arguments)
    try:
        opened = await navigator.open(target)
    except Refusal as refusal:
        part = await _in_part(target, refusal)
        if part is None:
            return await _open_else(invocation, target, refusal)
        opened = await navigator.open(part)
    visit(invocation.session, opened)
    if OUTLINE in arguments.options:
        parts = await navigator.parts(opened.page, opened.target.block, opened.target.lines)
        return Reply.page(f"Opened {opened.target.shown}", await READING.run(parts.outline))
    return await opened_reply(invocation, opened, f"Opened {opened.target.shown}")


async def _open_else(invocation: Invocation, target: Target, refusal: Refusal) -> Reply:
    """Open what was refused as a document if it is a directory or several files."""
    if target.path and is_directory(target.path, target.shown):
        return await _open_directory(invocation, target, target.path)
    several = refusal.code in _NAMES_NOTHING and several_files(invocation.line.arguments, invocation)
    if several:
        return await open_several(invocation, several)
    raise refusal


async def _in_part(target: Target, refusal: Refusal) -> Target | None:
    """Return the lines of a block of a text that is too large to be read as a whole; else None."""
    is_other = refusal.code != ErrorCode.INVALID_TARGET or isinstance(refusal, NoText)
    if is_other or target.path is None or target.block is None or not is_large(target.path):
        return None
    lines = await large_block_lines(target.path, target.shown, target.block)
    return replace(target, block=None, lines=lines)


def _refuse_views(arguments: PathArguments) -> None:
    """Refuse options that say how to show a document, which do not go with saving it."""
    views = {*arguments.options, *arguments.values} - {CONFIRMED, SAVE}
    if views:
        raise Refusal(ErrorCode.INVALID_PAYLOAD, f"{SAVE} does not go with {min(views)}.")


def _with_options(target: Target, arguments: PathArguments) -> Target:
    options, part, pages = arguments.options - {CONFIRMED, OUTLINE}, _part(arguments), _pages(arguments)
    if not options and not pages:
        return target if part == target.part else replace(target, part=part)
    if options and not target.uri:
        raise Refusal(ErrorCode.INVALID_PAYLOAD, f"{min(options)} does not apply to files: {target.shown}")
    flags = frozenset(it.removeprefix("--") for it in options - {FULL})
    loading = replace(target.options, full=FULL in options, pages=pages, flags=flags)
    return replace(target, here=False, part=part, options=loading)


def _part(arguments: PathArguments) -> int:
    wanted = arguments.values.get(PART)
    if wanted is None:
        return 1
    if not _NUMBER.fullmatch(wanted):
        raise Refusal(ErrorCode.INVALID_PARAMS, f"{PART} takes the number of a part, not {wanted}")
    return int(wanted)


def _pages(arguments: PathArguments) -> tuple[int, int] | None:
    wanted = arguments.values.get(PAGES)
    if wanted is None:
        return None
    found = _RANGE.fullmatch(wanted)
    first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not 1 <= first <= last:
        raise Refusal(ErrorCode.INVALID_PARAMS, f"{PAGES} takes a page or a range such as 3-5, not {wanted}")
    return first, last


async def _open_directory(invocation: Invocation, target: Target, path: Path) -> Reply:
    if not target.is_whole:
        named = "lines" if target.lines else "blocks"
        raise Refusal(ErrorCode.INVALID_TARGET, f"A directory has no {named}: {target.shown}")
    listing = await STORAGE.run(list_directory, path, target.shown, hidden=False)
    invocation.session.remember(replace(invocation.session.state, directory=str(path)))
    return Reply.page(f"Listing {target.shown.rstrip('/')}/", listing)


OPEN = Command(
    name="open",
    summary="Open a path, URL, @shortcut, #block or directory.",
    group="Reading",
    usage="/open path | path#block | path:L5 | path:L5-L10 | #block | @id | @menu.id | url | directory"
    " [--outline] [--full] [--part N] [--pages N-M] [--confirm] [--save path]\n/open path path …",
    run=run,
    topic_types=TopicGroup.DOCUMENTS,
)
