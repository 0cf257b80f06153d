"""The spans of a text that editing a block shows and replaces."""

from __future__ import annotations

import re

from stringd.documents.editing.block_index import Blocks, blocks_of, found_blocks, known_blocks
from stringd.documents.pages.cached_parsing import read_sheet
from stringd.documents.pages.includes import include_at
from stringd.documents.pages.page import unknown_block
from stringd.documents.syntax.blocks import Block
from stringd.documents.syntax.lines import BOM, Lines
from stringd.documents.syntax.parser import Directive

_LINE_END = re.compile(r"\r\n?|\n")


def stored_block(text: str, block_id: str) -> tuple[int, int]:
    """Return the span of a block in a text, including a section's heading."""
    found, block = _find(text, block_id)
    start, end = found.place(block.shown_first), found.place(block.inner_last)
    return _without_blanks(text, start, end, leading=False)


def block_span(text: str, block_id: str, body: str) -> tuple[int, int]:
    """Return the span of a text that a body replaces as a block's content.

    Blank lines around the content are kept, unless the body begins with a blank line. A body that begins
    with a heading of the section's level replaces the heading too.
    """
    found, block = _find(text, block_id)
    first = block.first if _begins_with_heading(body, block.level) else block.inner
    start, end = found.place(first), found.place(block.inner_last)
    return _without_blanks(text, start, end, leading=not _begins_blank(body))


def include_making(text: str, block_id: str) -> Directive | None:
    """Return the include that makes up a block, or that is the only content of the marked block."""
    known = known_blocks(text)
    block = known.blocks.get(block_id) if known else None
    start, end = (known.place(block.first), known.place(block.last)) if known and block else (0, len(text))
    # Avoid parsing a large text that has no such include, and searching all of it.
    if text.find(f"[!include:{block_id}]", start, end) < 0:
        return None
    return include_at(read_sheet(text).parsed, block_id)


def is_no_include(text: str, block_id: str) -> bool:
    """Whether a text is known to have a block that is not made up by an include."""
    found = found_blocks(text)
    return bool(found and block_id in found.blocks) and include_making(text, block_id) is None


def stored_text(text: str) -> tuple[int, int]:
    """Return the span of a text that an include inserts: everything below the frontmatter."""
    parsed = read_sheet(text).parsed
    return _without_blanks(text, parsed.place(parsed.body), len(text), leading=False)


def text_span(text: str, body: str) -> tuple[int, int]:
    """Return the span that a body replaces as a file's text: without frontmatter, unless it has its own."""
    parsed = read_sheet(text).parsed
    start = parsed.place(0 if read_sheet(body).parsed.body else parsed.body)
    return _without_blanks(text, start, len(text), leading=not _begins_blank(body))


def _find(text: str, block_id: str) -> tuple[Blocks, Block]:
    found = blocks_of(text)
    block = found.blocks.get(block_id)
    if block is None:
        raise unknown_block(block_id, found.blocks)
    return found, block


def _begins_blank(body: str) -> bool:
    return not body.partition("\n")[0].strip()


def _begins_with_heading(body: str, level: int | None) -> bool:
    headings = read_sheet(body).parsed.structure.headings if level else ()
    above = headings and Lines(body).slice(0, headings[0].first).removeprefix(BOM).strip()
    return bool(headings) and not above and headings[0].level == level


def _without_blanks(text: str, start: int, end: int, *, leading: bool) -> tuple[int, int]:
    """Trim blank lines from the end of a span of whole lines, and from its start if `leading`."""
    content = text[start:end]
    written = content.rstrip()
    if not written:
        return start, start
    line_end = _LINE_END.search(content, len(written))
    stop = line_end.end() if line_end else len(content)
    blanks = content[: len(content) - len(content.lstrip())] if leading else ""
    return start + max(blanks.rfind("\n"), blanks.rfind("\r")) + 1, start + stop
