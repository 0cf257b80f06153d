"""One parse of a document, from which everything else is read: rendering, listing, extraction, editing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import yaml
from markdown_it.token import Token

from stringd.documents.lines import BOM, Lines
from stringd.documents.links import Link, find_links
from stringd.documents.markdown import lines_in_code, make_parser
from stringd.documents.outline import (
    Block,
    Flaw,
    Heading,
    Marker,
    find_headings,
    find_markers,
    marked_blocks,
    sections,
)

References: TypeAlias = Mapping[str, Mapping[str, Any]]
_DIRECTIVE = re.compile(
    r"\[!(?P<kind>nav|include|requirements)(?::(?P<name>[\w-]+))?\]\(\s*<?(?P<target>[^()<>]*)>?\s*\)"
)
_DEFINITION = re.compile(r"act\.(?P<id>[a-z][a-z0-9_-]*)(?:\.(?P<role>response\.j2|response|error))?")
_LABEL = re.compile(r"\[(?P<label>[^\]]*)\]:")
_parser = make_parser()
_parser_inside = make_parser(frontmatter=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Directive:
    """A line that asks for something: a menu, an include, a page of requirements."""

    kind: str
    name: str
    target: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """A fence that defines an action (`role` None) or belongs to one: its response template, say."""

    id: str
    role: str | None
    text: str
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A reference definition: `[label]: target`."""

    label: str
    target: str
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """What divides a text: where its top-level elements start, line by line, and what blocks are made of."""

    has_frontmatter: bool
    starts: tuple[int, ...]
    headings: tuple[Heading, ...]
    markers: tuple[Marker, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A document, taken apart."""

    lines: Lines
    frontmatter: Mapping[str, Any]
    title: str | None
    structure: Structure
    blocks: Mapping[str, Block]
    directives: tuple[Directive, ...]
    links: tuple[Link, ...]
    references: References
    definitions: tuple[Definition, ...]
    fences: tuple[Fence, ...]
    hidden: tuple[tuple[int, int], ...]
    warnings: tuple[Flaw, ...]

    def place(self, line: int) -> int:
        """Return where in the text a block's line starts."""
        return self.lines.start(line)


def parse(text: str) -> Parsed:
    """Take a document apart. Nothing in a text is an error: what can't be meant becomes a warning."""
    lines = Lines(text)
    environment: dict[str, Any] = {"references": {}}
    tokens = _parser.parse(text.removeprefix(BOM), environment)
    warnings: list[Flaw] = []
    frontmatter, front = _frontmatter(tokens, warnings)
    structure = _structure(tokens, lines)
    markers, headings = structure.markers, structure.headings
    marked = marked_blocks(markers, warnings)
    directives = tuple(_directives(tokens, lines))
    definitions = tuple(_definitions(environment, lines, warnings))
    fences = tuple(_fences(tokens))
    hidden = [
        *front,
        *((it.line, it.line + 1) for it in markers),
        *((it.line, it.line + 1) for it in directives),
        *((it.first, it.last) for it in definitions),
        *((it.first, it.last) for it in fences),
    ]
    return Parsed(
        lines=lines,
        frontmatter=frontmatter,
        title=_title(frontmatter, headings),
        structure=structure,
        blocks={**sections(headings, len(lines), marked), **marked},
        directives=directives,
        links=tuple(find_links(tokens, lines)),
        references=environment["references"],
        definitions=definitions,
        fences=fences,
        hidden=tuple(sorted(hidden)),
        warnings=tuple(sorted(warnings, key=lambda it: it.line)),
    )


def parse_part(text: str, references: References) -> Structure | None:
    """Return what divides a part of a document that begins with a top-level element.

    `references` are those of the whole document; None if the part has some itself.
    """
    environment = {"references": dict(references)}
    tokens = _parser_inside.parse(text.removeprefix(BOM), environment)
    if len(environment["references"]) > len(references) or "duplicate_refs" in environment:
        return None
    return _structure(tokens, Lines(text))


def _structure(tokens: Sequence[Token], lines: Lines) -> Structure:
    return Structure(
        has_frontmatter=bool(tokens) and tokens[0].type == "front_matter",
        starts=tuple(it.map[0] for it in tokens if it.level == 0 and it.nesting >= 0 and it.map),
        headings=tuple(find_headings(tokens, lines)),
        markers=tuple(find_markers(tokens, lines)),
    )


def _frontmatter(
    tokens: Sequence[Token], warnings: list[Flaw]
) -> tuple[Mapping[str, Any], list[tuple[int, int]]]:
    first = tokens[0] if tokens else None
    if first is None or first.type != "front_matter" or not first.map:
        return {}, []
    try:
        # Every scalar is the text that it is: `version: 1.10` is no number.
        values = yaml.BaseLoader(f"{first.content}\n").get_single_data()
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        warnings.append(Flaw(line=1, message=f"frontmatter can't be read: {_one_line(error)}"))
        values = None
    place = [(first.map[0], first.map[1])]
    if values is None or isinstance(values, dict):
        return {str(key): value for key, value in (values or {}).items()}, place
    warnings.append(Flaw(line=1, message="frontmatter is not a list of `key: value`"))
    return {}, place


def _directives(tokens: Iterable[Token], lines: Lines) -> Iterator[Directive]:
    for token in tokens:
        if token.type == "inline" and token.map and token.level == 1 and "[!" in token.content:
            code = lines_in_code(token)
            for number in (number for number in range(*token.map) if number not in code):
                found = _DIRECTIVE.fullmatch(lines[number].strip())
                if found and _has_its_name(found):
                    yield Directive(
                        kind=found["kind"],
                        name=found["name"] or "",
                        target=found["target"].strip(),
                        line=number,
                    )


def _has_its_name(found: re.Match[str]) -> bool:
    return (found["name"] is None) == (found["kind"] == "requirements")


def _definitions(environment: Mapping[str, Any], lines: Lines, warnings: list[Flaw]) -> Iterator[Definition]:
    for found in environment["references"].values():
        yield _definition(found, lines)
    for found in environment.get("duplicate_refs", ()):
        duplicate = _definition(found, lines)
        message = f"[{duplicate.label}] is defined already"
        warnings.append(Flaw(line=duplicate.first + 1, message=message))
        yield duplicate


def _definition(found: Mapping[str, Any], lines: Lines) -> Definition:
    first, last = found["map"]
    label = _LABEL.search(lines[first])
    return Definition(label=label["label"] if label else "", target=found["href"], first=first, last=last)


def _fences(tokens: Iterable[Token]) -> Iterator[Fence]:
    for token in tokens:
        if token.type == "fence" and token.level == 0 and token.map:
            info = _DEFINITION.fullmatch(token.info.strip())
            if info:
                yield Fence(
                    id=info["id"],
                    role=info["role"],
                    text=token.content,
                    first=token.map[0],
                    last=token.map[1],
                )


def _title(frontmatter: Mapping[str, Any], headings: Iterable[Heading]) -> str | None:
    title = frontmatter.get("title")
    if isinstance(title, str) and title.strip():
        return title.strip()
    return next((heading.text for heading in headings if heading.level == 1), None)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
