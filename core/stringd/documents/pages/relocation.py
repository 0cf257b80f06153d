"""Text of one document in another: its relative targets, as they are written there."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from stringd.documents.pages.parsing import read_sheet
from stringd.documents.paths.origins import Origin
from stringd.documents.paths.uris import join, joined
from stringd.documents.syntax.parser import Parsed
from stringd.documents.syntax.shortcuts import Replacement

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_TARGET = r"\s*(?P<target><[^<>\n]*>|[^\s()<>]+)"
_IN_LINK = re.compile(rf"\({_TARGET}")
_IN_DEFINITION = re.compile(rf"[^\[]*+\[(?:[^\]\\]|\\.)*+\]:{_TARGET}", re.DOTALL)
_IN_DIRECTIVE = re.compile(r"\[![\w:-]+\]\(\s*+(?P<target><[^<>]*+>|[^()<>\s]*+(?:\s++[^()<>\s]++)*+)\s*+\)")
_Move = Callable[[str], str]
_ANY = "any"


def moved_into(text: str, old: Origin, new: Origin) -> str:
    """Return a text of one document with the same targets, for another; both are files, or neither is."""
    if isinstance(old, Path) and isinstance(new, Path):
        return relocated(text, old.parent, new.parent)
    stands_beside = join(str(old), _ANY) == join(str(new), _ANY)
    return text if stands_beside else _rewritten(text, partial(joined, str(old)))


def relocated(text: str, old: Path, new: Path) -> str:
    """Return a text of a file in directory `old` with the same targets, for a file in directory `new`."""
    return text if old == new else _rewritten(text, partial(_beside, os.path.relpath(old, new)))


def _rewritten(text: str, move: _Move) -> str:
    pieces, position = [], 0
    for _, it in sorted(_replacements(text, move).items()):
        pieces += [text[position : it.start], it.text]
        position = it.end
    return "".join((*pieces, text[position:]))


def _replacements(text: str, move: _Move) -> dict[int, Replacement]:
    # By place, as a directive may read as a link too.
    found = (_replacement(it, move) for it in _targets(text, read_sheet(text).parsed))
    return {it.start: it for it in found if it}


def _targets(text: str, parsed: Parsed) -> Iterator[re.Match[str] | None]:
    for link in parsed.links:
        if link.reference is None:
            yield _IN_LINK.match(text, link.label_end + 1)
    for definition in parsed.definitions:
        yield _IN_DEFINITION.match(text, parsed.place(definition.first), parsed.place(definition.last))
    for directive in parsed.directives:
        yield _IN_DIRECTIVE.search(text, parsed.place(directive.line))


def _replacement(found: re.Match[str] | None, move: _Move) -> Replacement | None:
    target = found["target"].removeprefix("<").removesuffix(">") if found else ""
    if not found or not target or target.startswith(("#", "@")) or _URI.match(target):
        return None
    return Replacement(start=found.start("target"), end=found.end("target"), text=_written(move(target)))


def _beside(way: str, target: str) -> str:
    if target.startswith(("/", "~")):
        return target
    return os.path.normpath(f"{way}/{target}") if not target.endswith("/") else f"{way}/{target}"


def _written(target: str) -> str:
    return f"<{target}>" if re.search(r"[\s()]", target) else target
