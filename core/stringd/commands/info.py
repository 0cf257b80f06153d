"""`/info`: describe the topic and its document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from stringd.actions.environment.action_environment import environment_of
from stringd.actions.environment.provenance_notices import describe_provenance
from stringd.actions.methods.known_methods import call_flaws
from stringd.actions.values.typed_values import display_value
from stringd.api.commands import Command, Invocation
from stringd.api.provenance import Provenance
from stringd.api.replies import Reply
from stringd.api.sessions import Location
from stringd.commands.set import variable_lines
from stringd.documents.navigator import DocumentNavigator
from stringd.documents.pages.page import Page
from stringd.documents.paths.resolving import path_scope
from stringd.documents.syntax.diagnostics import Diagnostic
from stringd.documents.syntax.lines import Lines, line_number
from stringd.errors import ErrorCode, Refusal
from stringd.files.typed_paths import display, file_of
from stringd.text.escaping import printable
from stringd.text.formatting import MOST, line_range, listed

Fact = tuple[str, object]


async def run(invocation: Invocation) -> Reply:
    """Describe the session, or the meaning of a shortcut."""
    wanted = invocation.line.arguments
    if wanted.startswith("@"):
        return await _explain(invocation, wanted)
    if wanted:
        raise Refusal(ErrorCode.INVALID_PAYLOAD, f"/info takes @id, not {wanted}", f"Usage: {INFO.usage}")
    location = DocumentNavigator(invocation).location
    of_document = await _document_facts(invocation) if location else ()
    facts = [f"{key}: {value}" for key, value in _facts(invocation, location, of_document)]
    variables = [f"  {it}" for it in variable_lines(invocation, all_sources=True)]
    return Reply.page("Session info", "\n".join((*facts, *variables)))


async def _explain(invocation: Invocation, wanted: str) -> Reply:
    page, state, name = await DocumentNavigator(invocation).current(), invocation.session.state, wanted[1:]
    if name in state.values and not page.has_shortcut(name):
        value = state.values[name]
        return _named(f"{wanted}: {display_value(value.value)}", value.provenance)
    if name in state.links and not page.has_shortcut(name):
        link = state.links[name]
        return _named(f"{wanted}: a link of an answer\ntarget: {link.value}", link.provenance)
    shortcut, _ = page.shortcut(name)
    return Reply.page("Session info", f"{wanted}: {shortcut.label}\ntarget: {shortcut.target}")


def _named(text: str, provenance: Provenance) -> Reply:
    """Return a name's meaning, with its provenance unless it is the user's own."""
    return Reply.page(
        "Session info", text if provenance.is_own else f"{text}\nfrom: {describe_provenance(provenance)}"
    )


def _facts(invocation: Invocation, location: Location | None, of_document: Iterable[Fact]) -> Iterator[Fact]:
    session = invocation.session
    own = dict(invocation.topic.info())
    yield "topic", session.name.text
    yield "user", session.user.id
    yield "cwd", printable(own.pop("cwd", "") or path_scope(session, full_access=False).folder)
    if location:
        yield from _location_facts(invocation, location)
        yield from of_document
    yield from own.items()
    yield "history", len(session.state.history)
    yield "variables", len(session.state.variables)


def _location_facts(invocation: Invocation, location: Location) -> Iterator[Fact]:
    path = file_of(location.uri)
    if path is None:
        yield "uri", location.uri
    else:
        yield "file", display(path, invocation.session.user)
    yield "title", location.title or "(none)"
    if location.lines:
        yield "lines", line_range(*location.lines)
    else:
        yield "block", location.block or "(whole document)"
    if location.part > 1:
        yield "part", location.part


async def _document_facts(invocation: Invocation) -> Iterable[Fact]:
    try:
        page = await DocumentNavigator(invocation).current()
    except Refusal as refusal:
        return [("warning", f"{refusal.code}: {refusal.message}")]
    environment = environment_of(invocation, page)
    offers = _offers(page, environment.actions_of(page))
    flaws = await call_flaws(page.sheet.actions.actions, environment.package, invocation.runtime)
    return [*offers, *_warnings(page, (*page.diagnostics, *flaws))]


def _warnings(page: Page, diagnostics: Sequence[Diagnostic]) -> Iterator[Fact]:
    # The parser also ends lines at a lone CR, which the line numbers in replies do not count.
    lines = Lines(page.source)
    for it in diagnostics[:MOST]:
        number = line_number(page.source, lines.start(it.line - 1))
        yield "warning", f"line {number}: {it.message}"
    if len(diagnostics) > MOST:
        yield "warning", f"… and {len(diagnostics) - MOST} more, once these are repaired"


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
    summary="Show the topic and what its document offers.",
    group="Reading",
    usage="/info [@id]",
    run=run,
)
