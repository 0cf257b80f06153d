"""`/find`: search the current document, or files."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from shlex import quote

from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Reply
from stringd.commands.find_arguments import (
    CONTEXT,
    NAMES,
    REGEX,
    FindRequest,
    read_request,
    refuse_inner_options,
)
from stringd.commands.find_in_files import find_files
from stringd.commands.find_in_package import find_in_package
from stringd.commands.found_places import MOST_FOUND, found_in, place_lines
from stringd.commands.path_hints import with_nearest_path
from stringd.documents.document_topic import document_topic
from stringd.documents.navigator import DocumentNavigator
from stringd.documents.pages.file_pages import SMALL
from stringd.documents.pages.page import Page
from stringd.documents.pagination.numbered_parts import Parts
from stringd.documents.paths.resolving import shown_anywhere
from stringd.documents.syntax.shortcuts import Shortcut
from stringd.errors import ErrorCode, Refusal
from stringd.file_search.file_query import LARGEST
from stringd.text.formatting import shortened
from stringd.workers.threads import READING

_LONGEST = 80
_QUOTED = re.compile(r"""(["'])([^\S\n]*+\S.*)\1""")
_NO_MATCH = "(none)"


@with_nearest_path
async def run(invocation: Invocation) -> Reply:
    """List the matches: those in the document with their sections, those in files with their lines."""
    request = read_request(invocation)
    if not request.text:
        raise Refusal(ErrorCode.INVALID_PAYLOAD, "Nothing to find.", f"Usage: {FIND.usage}")
    if request.paths:
        return await find_files(invocation, request)
    if request.uri:
        return await _find_at(invocation, request)
    return await _find_in_document(invocation, request)


async def _find_at(invocation: Invocation, request: FindRequest) -> Reply:
    """Search the page of a URI, which is not opened."""
    if request.has_options:
        message = f"{REGEX}, {NAMES} and {CONTEXT} are for files, not for {request.uri}"
        raise Refusal(ErrorCode.INVALID_PAYLOAD, message)
    navigator = DocumentNavigator(invocation)
    page = await navigator.page(await navigator.find(request.uri))
    parts, shortcuts = await navigator.parts(page), page.sheet.shortcuts.by_id.values()
    title, lines = await READING.run(_listing, parts, shortcuts, request.text, page.uri)
    return Reply.page(title, "\n".join(lines or [_NO_MATCH]))


async def _find_in_document(invocation: Invocation, request: FindRequest) -> Reply:
    navigator = DocumentNavigator(invocation)
    if navigator.location is None:
        raise await _without_document(invocation, request)
    page = await navigator.current()
    if page.package is not None and page.package.finds_all:
        return await find_in_package(invocation, page, page.package, _unquoted(request.text))
    parts, shortcuts = await navigator.parts(page), page.sheet.shortcuts.by_id.values()
    if len(parts.text) > SMALL:
        title, lines = await READING.run(_listing, parts, shortcuts, request.text)
    else:
        title, lines = _listing(parts, shortcuts, request.text)
    lines = lines or [_NO_MATCH, *(await request.miss_lines(invocation) if request.is_path_like else ())]
    if page.omissions:
        lines += await READING.run(lambda: list(_unsearched(page, request.text, invocation)))
    return Reply.page(title, "\n".join(lines))


async def _without_document(invocation: Invocation, request: FindRequest) -> Refusal:
    """Return the refusal of a search in a topic where no document is open."""
    refuse_inner_options(request.text)
    if request.miss and request.is_path_like:
        return request.miss
    refusal = document_topic(invocation.topic).nothing_open()
    missed = await request.miss_lines(invocation)
    return Refusal(refusal.code, refusal.message, *refusal.context, *missed)


def _unquoted(wanted: str) -> str:
    quoted = _QUOTED.fullmatch(wanted)
    return quoted[2] if quoted else wanted


def _unsearched(page: Page, wanted: str, invocation: Invocation) -> Iterator[str]:
    """Yield what of a document was not searched, as it is not in the text, and how to search its file."""
    yield from (f"Not searched: {it}" for it in page.omissions)
    wanted = _unquoted(wanted)
    if page.path is None or not page.source:
        return
    if len(page.source.encode()) > LARGEST:
        yield f"/exec grep -inF -- {quote(wanted)} {quote(str(page.path))} searches the lines of the file."
        return
    words = wanted, shown_anywhere(page.path, invocation.session.user)
    yield f"/find {' '.join(map(_word, words))} searches the lines of the file."


def _word(text: str) -> str:
    """Return a text as one word of the command."""
    mark = "'" if '"' in text else '"'
    return text if re.fullmatch(r"[^\s\"']+", text) else f"{mark}{text}{mark}"


def _listing(
    parts: Parts, shortcuts: Collection[Shortcut], wanted: str, where: str = ""
) -> tuple[str, list[str]]:
    """List the matches below a title; retry a quoted text without its quotes if it does not occur."""
    found = found_in(parts.text, shortcuts, wanted)
    quoted = _QUOTED.fullmatch(wanted)
    if quoted and not found:
        wanted = quoted[2]
        found = found_in(parts.text, shortcuts, wanted)
    number = f"{len(found):,}" if len(found) < MOST_FOUND else f"the first {MOST_FOUND:,}"
    place = f" in {where}" if where else ""
    return f"Matches: {shortened(wanted, _LONGEST)}{place} ({number})", list(place_lines(parts, found))


FIND = Command(
    name="find",
    summary="Find a text in the document or in files.",
    group="Reading",
    usage=f"/find text\n/find text url\n/find text path … [{REGEX}] [{NAMES}] [{CONTEXT} N]",
    run=run,
    topic_types=TopicGroup.DOCUMENTS,
)
