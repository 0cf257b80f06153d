"""The parser of documents: frontmatter, blocks, directives, links, definitions and action fences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from markdown_it.token import Token
from msgspec import Struct

from stringd.api.outlines import Heading, Link
from stringd.documents.syntax.blocks import (
    Block,
    Marker,
    find_headings,
    find_markers,
    marked_blocks,
    pair_markers,
)
from stringd.documents.syntax.cut_fences import find_cut_fences
from stringd.documents.syntax.declared_variables import NOTHING_DECLARED, Declarations, read_declarations
from stringd.documents.syntax.definitions import Definition, find_definitions, spelled_as_defined
from stringd.documents.syntax.diagnostics import Diagnostic, DiagnosticCode
from stringd.documents.syntax.frontmatter import Frontmatter, read_frontmatter
from stringd.documents.syntax.lines import BOM, Lines
from stringd.documents.syntax.links import find_links, schemes_of
from stringd.documents.syntax.markdown import lines_in_code, make_parser
from stringd.documents.syntax.sections import Rows, find_sections

References: TypeAlias = Mapping[str, Mapping[str, Any]]
_DIRECTIVE = re.compile(
    r"\[!(?P<kind>nav|include|requirements)(?::(?P<name>[\w-]+))?\]\(\s*+<?(?P<target>[^()<>]*+)>?\s*+\)"
)
_ROLE = r"(?:\.(?P<role>response\.j2|response|error))?"
_DEFINITION = re.compile(rf"act\.(?P<id>[a-z][a-z0-9_-]*){_ROLE}")
# Only calls of plugins have names with a dot, which elsewhere is a mistyped role.
_MEMBER = re.compile(rf"act\.(?P<id>[a-z][a-z0-9_-]*\.[a-z0-9_-]+){_ROLE}")
_CALL = re.compile(r"\s*CALL[ \t]")
_parser = make_parser()
_parser_of_text = make_parser(frontmatter=False)


class Directive(Struct, frozen=True, kw_only=True):
    """A line such as `[!nav:name](target)` that names a menu, an include or a page of requirements."""

    kind: str
    name: str
    target: str
    line: int


class Fence(Struct, frozen=True, kw_only=True):
    """A fence that declares an action (`role` None) or belongs to one, such as its response template."""

    id: str
    role: str | None
    text: str
    first: int
    last: int


class Structure(Struct, frozen=True, kw_only=True):
    """The structure of a text by lines: the starts of top-level elements, and what blocks are made of."""

    starts: tuple[int, ...] = ()
    headings: tuple[Heading, ...]
    markers: tuple[Marker, ...]
    includes: tuple[Directive, ...]


class Parsed(Struct, frozen=True, kw_only=True):
    """A parsed document; its text begins in line `body`, below the frontmatter."""

    lines: Lines
    frontmatter: Mapping[str, Any]
    body: int
    title: str | None
    structure: Structure
    blocks: Mapping[str, Block]
    directives: tuple[Directive, ...]
    links: tuple[Link, ...]
    link_schemes: frozenset[str]
    references: References
    definitions: tuple[Definition, ...]
    fences: tuple[Fence, ...]
    hidden: tuple[tuple[int, int], ...]
    diagnostics: tuple[Diagnostic, ...]
    declarations: Declarations = NOTHING_DECLARED

    def place(self, line: int) -> int:
        """Return the position in the text where a line starts."""
        return self.lines.start(line)


def parse(text: str) -> Parsed:
    """Parse a document; any text is valid, and its flaws become diagnostics."""
    lines = Lines(text)
    front, tokens, environment = _tokenize(text, lines)
    diagnostics = [front.diagnostic] if front.diagnostic else []
    directives = tuple(_directives(tokens, lines))
    structure = _structure(tokens, directives, lines)
    definitions = tuple(find_definitions(tokens, environment, lines, diagnostics))
    fences = tuple(_fences(tokens, diagnostics))
    diagnostics.extend(find_cut_fences(tokens, frozenset(it.first for it in fences), lines))
    hidden = [
        (0, front.height),
        *((it.line, it.line + 1) for it in structure.markers),
        *((it.line, it.line + 1) for it in directives),
        *((it.first, it.last) for it in definitions if it.hidden is None),
        *((it.first, it.last) for it in fences),
    ]
    links = tuple(spelled_as_defined(find_links(tokens, lines), definitions))
    return Parsed(
        lines=lines,
        frontmatter=front.values,
        declarations=read_declarations(front.values),
        body=front.height,
        title=_title(front.values, structure.headings),
        structure=structure,
        blocks=find_blocks(structure, lines, diagnostics),
        directives=directives,
        links=links,
        link_schemes=schemes_of(links),
        references=environment["references"],
        definitions=definitions,
        fences=fences,
        hidden=tuple(sorted(it for it in hidden if it[0] < it[1])),
        diagnostics=tuple(sorted(diagnostics, key=lambda it: it.line)),
    )


def parse_part(text: str, references: References) -> Structure | None:
    """Return the structure of a part of a document that begins with a top-level element.

    `references` are those of the whole document. None if the part defines references itself.
    """
    environment = {"references": dict(references)}
    tokens = _parser_of_text.parse(text.removeprefix(BOM), environment)
    if len(environment["references"]) > len(references) or "duplicate_refs" in environment:
        return None
    lines = Lines(text)
    return _structure(tokens, _directives(tokens, lines), lines)


def find_blocks(structure: Structure, lines: Rows, diagnostics: list[Diagnostic]) -> Mapping[str, Block]:
    """Return the blocks of a structure in the order of the text; unpaired markers become diagnostics."""
    pairs = pair_markers(structure.markers, diagnostics)
    named = {**_include_blocks(structure.includes), **marked_blocks(pairs, diagnostics)}
    found = (*find_sections(structure.headings, lines, pairs, named).values(), *named.values())
    return {it.id: it for it in sorted(found, key=lambda it: it.first)}


def _tokenize(text: str, lines: Lines) -> tuple[Frontmatter, Sequence[Token], Mapping[str, Any]]:
    environment: dict[str, Any] = {"references": {}}
    tokens = _parser.parse(text.removeprefix(BOM), environment)
    if not tokens or tokens[0].type != "front_matter":
        return Frontmatter(), tokens, environment
    front = read_frontmatter(tokens[0], lines)
    if front:
        return front, tokens, environment
    environment = {"references": {}}
    return Frontmatter(), _parser_of_text.parse(text.removeprefix(BOM), environment), environment


def _structure(tokens: Sequence[Token], directives: Iterable[Directive], lines: Lines) -> Structure:
    return Structure(
        starts=tuple(it.map[0] for it in tokens if it.level == 0 and it.nesting >= 0 and it.map),
        headings=tuple(find_headings(tokens, lines)),
        markers=tuple(find_markers(tokens, lines)),
        includes=tuple(it for it in directives if it.kind == "include"),
    )


def _include_blocks(directives: Iterable[Directive]) -> dict[str, Block]:
    """Return the includes as blocks of one line each; of several with the same id, the first."""
    blocks: dict[str, Block] = {}
    for name, line in ((it.name, it.line) for it in directives):
        blocks.setdefault(name, Block(id=name, first=line, inner=line, inner_last=line + 1, last=line + 1))
    return blocks


def _directives(tokens: Iterable[Token], lines: Lines) -> Iterator[Directive]:
    for before, token in pairwise(tokens):
        if before.type == "paragraph_open" and before.level == 0 and token.map and "[!" in token.content:
            code = lines_in_code(token)
            for number in (number for number in range(*token.map) if number not in code):
                found = _DIRECTIVE.fullmatch(lines[number].strip())
                if found and _is_named_properly(found):
                    yield Directive(
                        kind=found["kind"],
                        name=found["name"] or "",
                        target=found["target"].strip(),
                        line=number,
                    )


def _is_named_properly(found: re.Match[str]) -> bool:
    return (found["name"] is None) == (found["kind"] == "requirements")


def _fences(tokens: Iterable[Token], diagnostics: list[Diagnostic]) -> Iterator[Fence]:
    for token in tokens:
        if token.type == "fence" and token.level == 0 and token.map:
            info = token.info.strip()
            found = _DEFINITION.fullmatch(info)
            if found is None and (member := _MEMBER.fullmatch(info)):
                found = member if member["role"] or _CALL.match(token.content) else None
            if found:
                yield Fence(
                    id=found["id"],
                    role=found["role"],
                    text=token.content,
                    first=token.map[0],
                    last=token.map[1],
                )
            elif info.startswith("act."):
                arguments = {"info": info}
                diagnostics.append(Diagnostic(DiagnosticCode.ACTION_NAME, token.map[0] + 1, arguments))


def _title(frontmatter: Mapping[str, Any], headings: Iterable[Heading]) -> str | None:
    title = frontmatter.get("title")
    if isinstance(title, str) and title.strip():
        return title.strip()
    return next((heading.text for heading in headings if heading.level == 1), None)
