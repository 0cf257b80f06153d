"""How an answer is shown that no template shapes, and what its links are called."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from stringd.actions.answers import Answer
from stringd.contracts.daemon import Daemon
from stringd.contracts.documents import Loaded
from stringd.documents.parse import Parsed, parse
from stringd.documents.render import render
from stringd.documents.shortcuts import Shortcuts, find_shortcuts
from stringd.documents.uris import absolute
from stringd.errors import Refusal

_MARKDOWN = frozenset({"text/markdown", "text/x-markdown"})
_TEXT = re.compile(r"text/.*|application/(?:.*\+)?(?:xml|json|javascript|yaml|x-yaml|x-ndjson)")
_LINK = re.compile(r"\]\(|\]:|\]\[")
_FENCE = re.compile(r"^\s*(`{3,})", re.MULTILINE)
NOTHING = "(no content)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A text for the agent, and what the names of its links stand for."""

    text: str
    links: Mapping[str, str] = field(default_factory=dict)


async def shown_answer(answer: Answer, daemon: Daemon, taken: Iterable[str]) -> Shown:
    """Return what a service answered as something to read."""
    if not isinstance(answer.body, str):
        return Shown(text=fenced(json.dumps(answer.body, indent=2, ensure_ascii=False), "json"))
    if not answer.text.strip():
        return Shown(text=NOTHING)
    if answer.media_type in _MARKDOWN:
        return _named(answer.text, taken, answer.uri, hides=True)
    if answer.media_type == "text/plain":
        return Shown(text=answer.text.removesuffix("\n"))
    return await _rendered(answer, daemon, taken)


def with_named_links(text: str, taken: Iterable[str], base: str) -> Shown:
    """Return Markdown whose links have names in place of their targets, none of them taken already."""
    return _named(text, taken, base, hides=False) if _LINK.search(text) else Shown(text=text)


def fenced(text: str, language: str = "") -> str:
    """Return a text between fences that none of its lines can close."""
    longest = max((len(it) for it in _FENCE.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


async def _rendered(answer: Answer, daemon: Daemon, taken: Iterable[str]) -> Shown:
    loaded = Loaded(
        uri=answer.uri, media_type=f"{answer.media_type}; charset=utf-8", body=answer.text.encode()
    )
    try:
        document = await daemon.render(loaded)
    except Refusal:
        if not _TEXT.fullmatch(answer.media_type):
            return Shown(text=f"{answer.media_type}, which can't be shown as text")
        return Shown(text=fenced(answer.text.removesuffix("\n")))
    return _named(document.text, taken, answer.uri, hides=True)


def _named(text: str, taken: Iterable[str], base: str, *, hides: bool) -> Shown:
    parsed = parse(text)
    shortcuts = find_shortcuts(parsed, taken)
    shown = render(parsed, shortcuts) if hides else _replaced(parsed, shortcuts)
    links = {name: absolute(base, it.target) for name, it in shortcuts.by_id.items()}
    return Shown(text=shown.removesuffix("\n"), links=links)


def _replaced(parsed: Parsed, shortcuts: Shortcuts) -> str:
    pieces, position = [], 0
    for it in shortcuts.replacements:
        pieces += [parsed.lines.text[position : it.start], it.text]
        position = it.end
    return "".join((*pieces, parsed.lines.text[position:]))
