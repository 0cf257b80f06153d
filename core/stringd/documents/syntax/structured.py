"""Documents whose text is not parsed: a renderer provides their structure, or they are shown verbatim."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from stringd.api.outlines import Outline, Span
from stringd.documents.syntax.blocks import Block
from stringd.documents.syntax.document_text import rendered
from stringd.documents.syntax.forms import form_book
from stringd.documents.syntax.lines import Lines
from stringd.documents.syntax.links import schemes_of
from stringd.documents.syntax.parsed_document import ParsedDocument
from stringd.documents.syntax.parser import Parsed, Structure, find_blocks
from stringd.documents.syntax.shortcuts import name_links
from stringd.text.media_type_detection import media_type_of_name


def structured_document(text: str, title: str | None, outline: Outline, uri: str = "") -> ParsedDocument:
    """Return a text with the structure of its outline; `uri` is the page that its forms belong to."""
    parsed = _structured(Lines(text), title, outline)
    shortcuts = name_links(outline.links, parsed.lines)
    return ParsedDocument(
        parsed=parsed,
        shortcuts=shortcuts,
        actions=form_book(outline.forms, uri),
        rendered=rendered(parsed, shortcuts),
        from_outline=True,
    )


def _structured(lines: Lines, title: str | None, outline: Outline) -> Parsed:
    structure = Structure(headings=outline.headings, markers=(), includes=())
    sections = find_blocks(structure, lines, [])
    return Parsed(
        lines=lines,
        frontmatter={},
        body=0,
        title=title,
        structure=structure,
        blocks=_with_ids(sections, outline.ids),
        directives=(),
        links=outline.links,
        link_schemes=schemes_of(outline.links),
        references={},
        definitions=(),
        fences=(),
        hidden=(),
        diagnostics=(),
    )


def _with_ids(sections: Mapping[str, Block], ids: Mapping[str, Span]) -> Mapping[str, Block]:
    """Return the sections and the spans with an id, in the order of the text.

    An id on the line of a heading names its section.
    """
    by_line = {it.first: it for it in sections.values()}
    named = {name: _block(name, span, by_line.get(span.first)) for name, span in ids.items()}
    found = {**sections, **named}
    return dict(sorted(found.items(), key=lambda it: it[1].first))


def _block(name: str, span: Span, section: Block | None) -> Block:
    if section:
        return section.renamed(name)
    return Block(id=name, first=span.first, inner=span.first, inner_last=span.last, last=span.last)


_DOCUMENTS = {"", ".md", ".markdown", ".txt"}


def has_document_name(path: Path) -> bool:
    """Whether the name of a file is one of Markdown or plain text."""
    return path.suffix.lower() in _DOCUMENTS


def is_verbatim(path: Path) -> bool:
    """Whether the name of a file says that it is neither Markdown nor plain text."""
    return not has_document_name(path) and media_type_of_name(path.name) is not None


def verbatim_document(text: str, title: str | None = None, notice: str | None = None) -> ParsedDocument:
    """Return a text unparsed; a notice may say why."""
    return replace(structured_document(text, title, Outline()), notice=notice)
