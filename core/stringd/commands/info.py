"""`/info`: where the topic is, and what its document offers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator

from stringd.actions.action_environment import environment_of
from stringd.actions.arguments.values import shown
from stringd.actions.value_origins import source_of
from stringd.api.commands import Command, Invocation
from stringd.api.provenance import Provenance
from stringd.api.replies import Reply
from stringd.api.sessions import Location
from stringd.commands.set import variable_lines
from stringd.documents.navigator import DocumentNavigator
from stringd.documents.pages.page import Page
from stringd.documents.paths.resolving import display, file_of, working_directory
from stringd.documents.syntax.lines import Lines, line_number
from stringd.errors import Refusal
from stringd.text.listing import MOST, listed
from stringd.text.printable import printable

Fact = tuple[str, object]


async def run(invocation: Invocation) -> Reply:
    """Describe the session, or what a shortcut stands for."""
    wanted = invocation.line.arguments
    if wanted.startswith("@"):
        return await _explain(invocation, wanted)
    if wanted:
        raise Refusal("INVALID_PAYLOAD", f"/info takes @id, not {wanted}", f"Usage: {INFO.usage}")
    facts = [f"{key}: {value}" async for key, value in _facts(invocation)]
    variables = (f"  {it}" for it in variable_lines(invocation, all_sources=True))
    return Reply.page("Session info", "\n".join((*facts, *variables)))


async def _explain(invocation: Invocation, wanted: str) -> Reply:
    page, state, name = await DocumentNavigator(invocation).current(), invocation.session.state, wanted[1:]
    if name in state.values and not page.has_shortcut(name):
        value = state.values[name]
        return _named(f"{wanted}: {shown(value.value)}", value.provenance)
    if name in state.links and not page.has_shortcut(name):
        link = state.links[name]
        return _named(f"{wanted}: a link of an answer\ntarget: {link.value}", link.provenance)
    shortcut, _ = page.shortcut(name)
    return Reply.page("Session info", f"{wanted}: {shortcut.label}\ntarget: {shortcut.target}")


def _named(told: str, source: Provenance) -> Reply:
    """Return what a name stands for, with who has brought that, if not the user or one of their documents."""
    return Reply.page("Session info", told if source.is_own else f"{told}\nfrom: {source_of(source)}")


async def _facts(invocation: Invocation) -> AsyncIterator[Fact]:
    session, place = invocation.session, DocumentNavigator(invocation).place
    own = dict(invocation.topic.info())
    yield "topic", session.name
    yield "user", session.user.id
    yield "cwd", printable(own.pop("cwd", "") or str(working_directory(session)))
    if place:
        for fact in _place(invocation, place):
            yield fact
        for fact in await _document(invocation):
            yield fact
    for fact in own.items():
        yield fact
    yield "history", len(session.state.history)
    yield "variables", len(session.state.variables)


def _place(invocation: Invocation, place: Location) -> Iterator[Fact]:
    path = file_of(place.uri)
    if path is None:
        yield "uri", place.uri
    else:
        yield "file", display(path, invocation.session.user)
    yield "title", place.title or "(none)"
    yield "block", place.block or "(whole document)"
    if place.part > 1:
        yield "part", place.part


async def _document(invocation: Invocation) -> Iterable[Fact]:
    try:
        page = await DocumentNavigator(invocation).current()
    except Refusal as refusal:
        return [("warning", f"{refusal.code}: {refusal.message}")]
    offers = _offers(page, environment_of(invocation, page).actions_of(page))
    return [*offers, *_warnings(page)]


def _warnings(page: Page) -> Iterator[Fact]:
    # Markdown also ends lines at a CR alone; the numbers in replies don't count these.
    lines = Lines(page.source)
    for it in page.diagnostics[:MOST]:
        number = line_number(page.source, lines.start(it.line - 1))
        yield "warning", f"line {number}: {it.message}"
    if len(page.diagnostics) > MOST:
        yield "warning", f"… and {len(page.diagnostics) - MOST} more, once these are repaired"


def _offers(page: Page, actions: Iterable[str]) -> Iterator[Fact]:
    offered = (
        ("blocks", [f"#{name}" for name in page.sheet.parsed.blocks], "/source shows the text"),
        ("menus", [*page.menus], "/nav lists them"),
        ("shortcuts", [f"@{name}" for name in page.sheet.shortcuts.by_id], "/nav page lists them"),
        ("actions", [f"/act.{name}" for name in actions], "/act lists them"),
    )
    return ((what, listed(names, where)) for what, names, where in offered if names)


INFO = Command(
    name="info",
    summary="Show where this topic is and what its document offers, or what @id stands for.",
    usage="/info [@id]",
    run=run,
)
