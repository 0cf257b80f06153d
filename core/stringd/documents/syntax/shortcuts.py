"""Short names for what a document links to, so that no URL needs to stand in its text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from stringd.api.outlines import Link
from stringd.documents.syntax.blocks import Flaw, Names, slug
from stringd.documents.syntax.definitions import Spelling
from stringd.documents.syntax.lines import Lines
from stringd.documents.syntax.links import is_directive
from stringd.documents.syntax.parser import Parsed

LONG_TARGET = 40
_OWN = re.compile(r"@(?P<id>[\w.-]+)")
_OWN_LABEL = re.compile(r"(?P<mark>@(?P<id>[\w.-]+)\s+)(?P<label>\S.*)", re.DOTALL)
_SLUGGABLE = re.compile(r"[A-Za-z0-9 -]{1,20}")
_REMOTE = re.compile(r"https?://", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortcut:
    """`@id` for a target."""

    id: str
    label: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """What the rendered text has in place of a stretch of the source."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortcuts:
    """The shortcuts of a page in the order of its text, and how its links read with them."""

    by_id: dict[str, Shortcut]
    replacements: tuple[Replacement, ...]
    warnings: tuple[Flaw, ...]


def find_shortcuts(parsed: Parsed, taken: Iterable[str] = (), schemes: Collection[str] = ()) -> Shortcuts:
    """Name the targets of a page: its author's names first, then those that its links get by themselves.

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
    """Name the targets of links whose labels are nothing but text: one name for one label and target."""
    naming = _Naming(lines, taken, schemes)
    for link in links:
        naming.take_text(link)
    return naming.shortcuts()


class _Naming:
    """One page's names, as they are given."""

    def __init__(self, lines: Lines, taken: Iterable[str], schemes: Collection[str]) -> None:
        self._schemes = schemes
        self._by_id: dict[str, Shortcut] = {}
        self._replacements: list[Replacement] = []
        self._warnings: list[Flaw] = []
        self._names = Names(taken)
        self._nameless = 0
        self._lines = lines
        self._given: dict[tuple[str, str], str] = {}

    def shortcuts(self) -> Shortcuts:
        """Return the names that were given."""
        return Shortcuts(
            by_id=self._by_id,
            replacements=tuple(sorted(self._replacements, key=lambda it: it.start)),
            warnings=tuple(self._warnings),
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
            self._warnings.append(Flaw(line=line, message=f"@{own['id']} is defined already"))
        name = self._add(own["id"], own["label"], link.target)
        self._put(link.label_start, link.label_start + len(own["mark"]), "")
        self._end_with(link, name)

    def take_other(self, link: Link) -> None:
        """Take a link that has no name of its author's, if the agent should not see its target."""
        if _names_itself(link):
            return
        if own := _OWN.fullmatch(link.reference or ""):
            self._spell(link, own["id"])
        elif _needs_name(link, self._schemes):
            self._end_with(link, self._add(self._automatic_name(link.label), link.label, link.target))

    def take_text(self, link: Link) -> None:
        """Take a link whose label is not read; one more of a label and a target has the same name."""
        if _needs_name(link, self._schemes):
            key = link.label, link.target
            if key not in self._given:
                self._given[key] = self._add(self._automatic_name(link.label), link.label, link.target)
            self._end_with(link, self._given[key])

    def _spell(self, link: Link, name: str) -> None:
        """Let a link by reference name its definition as that is spelled."""
        written = self._lines.text[link.label_end + 2 : link.end - 1] or link.label
        if written != link.reference:
            self._end_with(link, name)

    def _automatic_name(self, label: str) -> str:
        if _SLUGGABLE.fullmatch(label) and slug(label):
            return slug(label)
        self._nameless += 1
        return f"link-{self._nameless}"

    def _add(self, wanted: str, label: str, target: str) -> str:
        name = self._names.take(wanted)
        self._by_id[name] = Shortcut(id=name, label=" ".join(label.split()), target=target)
        return name

    def _end_with(self, link: Link, name: str) -> None:
        self._put(link.label_end, link.end, f"][@{name}]")

    def _put(self, start: int, end: int, text: str) -> None:
        self._replacements.append(Replacement(start=start, end=end, text=text))


def _names_itself(link: Link) -> bool:
    own_label = _OWN_LABEL.fullmatch(link.label) is not None and not link.image
    return own_label or is_directive(link)


def has_scheme(link: Link, schemes: Collection[str]) -> bool:
    """Whether the target of a link is a URI of one of these schemes."""
    scheme, colon, _ = link.target.partition(":")
    return colon != "" and scheme.lower() in schemes


def _needs_name(link: Link, schemes: Collection[str]) -> bool:
    remote = _REMOTE.match(link.target) is not None or has_scheme(link, schemes)
    is_hidden = link.reference is not None
    return remote or is_hidden or (not link.image and len(link.target) > LONG_TARGET)


def own_name(link: Link) -> tuple[str, str] | None:
    """Return the id and the label that an author gave a link; None if it has no name of its own."""
    own = _OWN_LABEL.fullmatch(link.label)
    if own and not link.image:
        return own["id"], own["label"]
    reference = _OWN.fullmatch(link.reference or "")
    return (reference["id"], link.label.removeprefix("@")) if reference else None
