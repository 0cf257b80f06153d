"""Shortcuts: short names for link targets, which keep URLs out of the shown text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from msgspec import Struct

from stringd.api.outlines import Link
from stringd.documents.syntax.blocks import Names, slug
from stringd.documents.syntax.definitions import Spelling
from stringd.documents.syntax.diagnostics import Diagnostic, DiagnosticCode
from stringd.documents.syntax.lines import Lines
from stringd.documents.syntax.links import is_directive, scheme_of
from stringd.documents.syntax.parser import Parsed

LONG_TARGET = 40
_OWN = re.compile(r"@(?P<id>[\w.-]+)")
_OWN_LABEL = re.compile(r"(?P<mark>@(?P<id>[\w.-]+)\s+)(?P<label>\S.*)", re.DOTALL)
_SHORT_LABEL = re.compile(r"[A-Za-z0-9 -]{1,20}")
_REMOTE = re.compile(r"https?://", re.IGNORECASE)


class Shortcut(NamedTuple):
    """`@id`, the short name of a target."""

    id: str
    label: str
    target: str


class Replacement(NamedTuple):
    """The text shown in place of a span of the source."""

    start: int
    end: int
    text: str


class Shortcuts(Struct, frozen=True, kw_only=True):
    """The shortcuts of a page in the order of its text, and the replacements that show them in its links."""

    by_id: dict[str, Shortcut]
    replacements: tuple[Replacement, ...]
    diagnostics: tuple[Diagnostic, ...]


def find_shortcuts(parsed: Parsed, taken: Iterable[str] = (), schemes: Collection[str] = ()) -> Shortcuts:
    """Name the link targets of a page: names given by the author first, then automatic ones.

    URIs of `schemes` get names as those of the web do.
    """
    naming = _Naming(parsed.lines, taken, schemes)
    naming.take_definitions(parsed)
    for link in parsed.links:
        naming.take_own(link)
    for link in parsed.links:
        naming.take_other(link)
    return naming.shortcuts()


def name_links(
    links: Iterable[Link], lines: Lines, taken: Iterable[str] = (), schemes: Collection[str] = ()
) -> Shortcuts:
    """Name the targets of links whose labels are plain text: one name for each label and target."""
    naming = _Naming(lines, taken, schemes)
    for link in links:
        naming.take_text(link)
    return naming.shortcuts()


class _Naming:
    """The names of one page while they are being given."""

    def __init__(self, lines: Lines, taken: Iterable[str], schemes: Collection[str]) -> None:
        self._schemes = schemes
        self._by_id: dict[str, Shortcut] = {}
        self._replacements: list[Replacement] = []
        self._diagnostics: list[Diagnostic] = []
        self._names = Names(taken)
        self._unnamed = 0
        self._lines = lines
        self._given: dict[tuple[str, str], str] = {}

    def shortcuts(self) -> Shortcuts:
        """Return the shortcuts named so far."""
        return Shortcuts(
            by_id=self._by_id,
            replacements=tuple(sorted(self._replacements, key=lambda it: it.start)),
            diagnostics=tuple(self._diagnostics),
        )

    def take_definitions(self, parsed: Parsed) -> None:
        """Take `[@id]: target`."""
        labels = {link.reference: link.label for link in reversed(parsed.links) if link.reference}
        spelling = Spelling(parsed.definitions)
        for definition in parsed.definitions:
            spelled = spelling.of(definition.label)
            if own := _OWN.fullmatch(spelled):
                label = labels.get(spelled, own["id"])
                self._add(own["id"], label.removeprefix("@"), definition.target)

    def take_own(self, link: Link) -> None:
        """Take `[@id Label](target)`."""
        own = _OWN_LABEL.fullmatch(link.label)
        if own is None or link.image:
            return
        if own["id"] in self._names:
            line = self._lines.number_of(link.label_start) + 1
            self._diagnostics.append(Diagnostic(DiagnosticCode.SHORTCUT_REPEATED, line, {"id": own["id"]}))
        name = self._add(own["id"], own["label"], link.target)
        self._replace(link.label_start, link.label_start + len(own["mark"]), "")
        self._show_name(link, name)

    def take_other(self, link: Link) -> None:
        """Take a link without a name of its own if its target should not be shown."""
        if _names_itself(link):
            return
        if own := _OWN.fullmatch(link.reference or ""):
            self._spell(link, own["id"])
        elif _needs_name(link, self._schemes):
            self._show_name(link, self._add(self._automatic_name(link.label), link.label, link.target))

    def take_text(self, link: Link) -> None:
        """Take a link whose label is not parsed; links with equal label and target share a name."""
        if _needs_name(link, self._schemes):
            key = link.label, link.target
            if key not in self._given:
                self._given[key] = self._add(self._automatic_name(link.label), link.label, link.target)
            self._show_name(link, self._given[key])

    def _spell(self, link: Link, name: str) -> None:
        """Show a link by reference with the spelling of its definition."""
        written = self._lines.text[link.label_end + 2 : link.end - 1] or link.label
        if written != link.reference:
            self._show_name(link, name)

    def _automatic_name(self, label: str) -> str:
        if _SHORT_LABEL.fullmatch(label) and (name := slug(label)):
            return name
        self._unnamed += 1
        return f"link-{self._unnamed}"

    def _add(self, wanted: str, label: str, target: str) -> str:
        name = self._names.take(wanted)
        self._by_id[name] = Shortcut(id=name, label=" ".join(label.split()), target=target)
        return name

    def _show_name(self, link: Link, name: str) -> None:
        self._replace(link.label_end, link.end, f"][@{name}]")

    def _replace(self, start: int, end: int, text: str) -> None:
        self._replacements.append(Replacement(start=start, end=end, text=text))


def _names_itself(link: Link) -> bool:
    own_label = _OWN_LABEL.fullmatch(link.label) is not None and not link.image
    return own_label or is_directive(link)


def _needs_name(link: Link, schemes: Collection[str]) -> bool:
    is_long = len(link.target) > LONG_TARGET and not link.image
    if is_long or link.reference is not None or _REMOTE.match(link.target):
        return True
    return bool(schemes) and scheme_of(link.target) in schemes


def own_name(link: Link) -> tuple[str, str] | None:
    """Return the id and the label that the author gave a link; None if it has no id of its own."""
    own = _OWN_LABEL.fullmatch(link.label)
    if own and not link.image:
        return own["id"], own["label"]
    reference = _OWN.fullmatch(link.reference or "")
    return (reference["id"], link.label.removeprefix("@")) if reference else None
