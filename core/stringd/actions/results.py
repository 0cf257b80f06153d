"""How an answer is shown that no template shapes, and what its links are called."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from stringd.actions.answers import Answer
from stringd.api.documents import LoadedBytes
from stringd.api.runtime import Runtime
from stringd.documents.pages.file_pages import SMALL, done
from stringd.documents.pages.parsing import sheet_of
from stringd.documents.paths.uris import absolute
from stringd.documents.syntax.lines import Lines
from stringd.documents.syntax.parser import Parsed
from stringd.documents.syntax.parsing_cost import OF_A_STRANGER
from stringd.documents.syntax.rendering import render
from stringd.documents.syntax.shortcuts import Shortcuts, find_shortcuts, name_links
from stringd.errors import Refusal
from stringd.text.fences import fenced

_LINK = re.compile(r"\]\(|\]:|\]\[")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A text for the agent, and what the names of its links stand for."""

    text: str
    links: Mapping[str, str] = field(default_factory=dict)


async def shown_answer(answer: Answer, runtime: Runtime, taken: Iterable[str]) -> Shown:
    """Return what a service answered as something to read."""
    try:
        document = await runtime.render(_loaded(answer))
    except Refusal as refusal:
        # The action is done, whatever its answer is like.
        return Shown(text=fenced(answer.text.removesuffix("\n")) if answer.text.strip() else refusal.message)
    if document.outline is None:
        return await _named(document.text, taken, answer.uri, runtime.named_schemes, hides=True)
    lines = Lines(document.text)
    return _shown(lines, name_links(document.outline.links, lines, taken, runtime.named_schemes), answer.uri)


def _loaded(answer: Answer) -> LoadedBytes:
    if answer.data:
        return LoadedBytes(uri=answer.uri, media_type=answer.media_type, body=answer.data)
    media_type = f"{answer.media_type}; charset=utf-8"
    return LoadedBytes(uri=answer.uri, media_type=media_type, body=answer.text.encode())


async def with_named_links(text: str, taken: Iterable[str], base: str) -> Shown:
    """Return Markdown whose links have names in place of their targets, none of them taken already."""
    return await _named(text, taken, base, (), hides=False) if _LINK.search(text) else Shown(text=text)


async def _named(
    text: str, taken: Iterable[str], base: str, schemes: Collection[str], *, hides: bool
) -> Shown:
    sheet = await sheet_of(text, OF_A_STRANGER)
    if sheet.notice:
        return Shown(text=f"{sheet.notice}\n\n{text}")
    return await done(
        lambda: _renamed(sheet.parsed, taken, base, schemes, hides=hides), here=len(text) <= SMALL
    )


def _renamed(
    parsed: Parsed, taken: Iterable[str], base: str, schemes: Collection[str], *, hides: bool
) -> Shown:
    shortcuts = find_shortcuts(parsed, taken, schemes)
    if not hides:
        return _shown(parsed.lines, shortcuts, base)
    return Shown(text=render(parsed, shortcuts).removesuffix("\n"), links=_targets(shortcuts, base))


def _shown(lines: Lines, shortcuts: Shortcuts, base: str) -> Shown:
    pieces, position = [], 0
    for it in shortcuts.replacements:
        pieces += [lines.text[position : it.start], it.text]
        position = it.end
    text = "".join((*pieces, lines.text[position:]))
    return Shown(text=text.removesuffix("\n"), links=_targets(shortcuts, base))


def _targets(shortcuts: Shortcuts, base: str) -> Mapping[str, str]:
    return {name: absolute(base, it.target) for name, it in shortcuts.by_id.items()}
