"""Render an answer that has no template, and give names to the links in what is shown."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct, field

from stringd.actions.answers import Answer
from stringd.actions.templates.limits import NAMES
from stringd.api.documents import LoadedBytes
from stringd.api.runtime import Runtime
from stringd.api.sessions import NamedValue
from stringd.documents.pages.cached_parsing import sheet_of
from stringd.documents.pages.file_pages import SMALL, done
from stringd.documents.syntax.document_text import render
from stringd.documents.syntax.json_markdown import json_markdown
from stringd.documents.syntax.lines import Lines
from stringd.documents.syntax.parser import Parsed
from stringd.documents.syntax.parsing_cost import OF_A_STRANGER
from stringd.documents.syntax.shortcuts import Shortcuts, find_shortcuts, name_links
from stringd.errors import Refusal
from stringd.text.formatting import fenced
from stringd.text.splicing import splice
from stringd.text.uris import absolute

_LINK = re.compile(r"\]\(|\]:|\]\[")


class RenderedText(Struct, frozen=True, kw_only=True):
    """A text for the agent, and what is behind its `@name`s: the targets of links, and values."""

    text: str
    links: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, NamedValue] = field(default_factory=dict)


async def render_answer(answer: Answer, runtime: Runtime, taken: Iterable[str]) -> RenderedText:
    """Return a service's answer as readable text, by the renderer of its media type."""
    try:
        document = await runtime.render(_loaded(answer))
    except Refusal as refusal:
        # The action has run, so an answer that cannot be rendered is no failure of the action.
        text = fenced(answer.text.removesuffix("\n")) if answer.text.strip() else refusal.message
        return RenderedText(text=text)
    if document.outline is None:
        return await _parse_and_name(document.text, taken, answer.uri, runtime.named_schemes, renders=True)
    lines = Lines(document.text)
    return _with_names(
        lines, name_links(document.outline.links, lines, taken, runtime.named_schemes), answer.uri
    )


async def json_as_markdown(answer: Answer, taken: Iterable[str]) -> RenderedText:
    """Return the JSON of an answer as Markdown, with names for its links and long ids."""
    made = await done(
        lambda: json_markdown(answer.body, taken, most_names=NAMES), here=len(answer.text) <= SMALL
    )
    return RenderedText(text=made.text, links=made.links, values=made.values)


def _loaded(answer: Answer) -> LoadedBytes:
    if answer.data:
        return LoadedBytes(uri=answer.uri, media_type=answer.media_type, body=answer.data)
    media_type = f"{answer.media_type}; charset=utf-8"
    return LoadedBytes(uri=answer.uri, media_type=media_type, body=answer.text.encode())


async def name_markdown_links(text: str, taken: Iterable[str], base: str) -> RenderedText:
    """Return Markdown with its link targets replaced by names that are not taken yet."""
    if not _LINK.search(text):
        return RenderedText(text=text)
    return await _parse_and_name(text, taken, base, (), renders=False)


async def _parse_and_name(
    text: str, taken: Iterable[str], base: str, schemes: Collection[str], *, renders: bool
) -> RenderedText:
    sheet = await sheet_of(text, OF_A_STRANGER)
    if sheet.notice:
        return RenderedText(text=f"{sheet.notice}\n\n{text}")
    return await done(
        lambda: _named(sheet.parsed, taken, base, schemes, renders=renders), here=len(text) <= SMALL
    )


def _named(
    parsed: Parsed, taken: Iterable[str], base: str, schemes: Collection[str], *, renders: bool
) -> RenderedText:
    shortcuts = find_shortcuts(parsed, taken, schemes)
    if not renders:
        return _with_names(parsed.lines, shortcuts, base)
    return RenderedText(text=render(parsed, shortcuts).removesuffix("\n"), links=_targets(shortcuts, base))


def _with_names(lines: Lines, shortcuts: Shortcuts, base: str) -> RenderedText:
    text = splice(lines.text, [(it.start, it.end, it.text) for it in shortcuts.replacements])
    return RenderedText(text=text.removesuffix("\n"), links=_targets(shortcuts, base))


def _targets(shortcuts: Shortcuts, base: str) -> Mapping[str, str]:
    return {name: absolute(base, it.target) for name, it in shortcuts.by_id.items()}
