"""Rewrite the relative links of a text that moves from one document to another."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from stringd.documents.pages.cached_parsing import read_sheet
from stringd.documents.paths.document_origins import Origin
from stringd.documents.syntax.parser import Parsed
from stringd.text.splicing import Splice, splice
from stringd.text.uris import join, resolve_uri

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_TARGET = r"\s*(?P<target><[^<>\n]*>|[^\s()<>]+)"
_IN_LINK = re.compile(rf"\({_TARGET}")
_IN_DEFINITION = re.compile(rf"[^\[]*+\[(?:[^\]\\]|\\.)*+\]:{_TARGET}", re.DOTALL)
_IN_DIRECTIVE = re.compile(r"\[![\w:-]+\]\(\s*+(?P<target><[^<>]*+>|[^()<>\s]*+(?:\s++[^()<>\s]++)*+)\s*+\)")
_Move = Callable[[str], str]
_ANY = "any"


def moved_into(text: str, old: Origin, new: Origin) -> str:
    """Rewrite a text of one document so that its links keep their targets in another of the same kind."""
    if isinstance(old, Path) and isinstance(new, Path):
        return relocated(text, old.parent, new.parent)
    stands_beside = join(str(old), _ANY) == join(str(new), _ANY)
    return text if stands_beside else _rewritten(text, partial(resolve_uri, str(old)))


def relocated(text: str, old: Path, new: Path) -> str:
    """Rewrite a text from directory `old` so that its links keep their targets in directory `new`."""
    return text if old == new else _rewritten(text, partial(_beside, os.path.relpath(old, new)))


def _rewritten(text: str, move: _Move) -> str:
    # Keyed by position, since a directive may also parse as a link.
    found = (_replaced_target(it, move) for it in _targets(text, read_sheet(text).parsed))
    return splice(text, sorted({it[0]: it for it in found if it}.values()))


def _targets(text: str, parsed: Parsed) -> Iterator[re.Match[str] | None]:
    for link in parsed.links:
        if link.reference is None:
            yield _IN_LINK.match(text, link.label_end + 1)
    for definition in parsed.definitions:
        yield _IN_DEFINITION.match(text, parsed.place(definition.first), parsed.place(definition.last))
    for directive in parsed.directives:
        yield _IN_DIRECTIVE.search(text, parsed.place(directive.line))


def _replaced_target(found: re.Match[str] | None, move: _Move) -> Splice | None:
    target = found["target"].removeprefix("<").removesuffix(">") if found else ""
    if not found or not target or target.startswith(("#", "@")) or _URI.match(target):
        return None
    return found.start("target"), found.end("target"), _link_target(move(target))


def _beside(directory: str, target: str) -> str:
    if target.startswith(("/", "~")):
        return target
    return os.path.normpath(f"{directory}/{target}") if not target.endswith("/") else f"{directory}/{target}"


def _link_target(target: str) -> str:
    return f"<{target}>" if re.search(r"[\s()]", target) else target
