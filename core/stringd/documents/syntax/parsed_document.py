"""A document with everything that parsing finds in it."""

from __future__ import annotations

from msgspec import Struct

from stringd.documents.syntax.actions import ActionBook, parse_actions
from stringd.documents.syntax.diagnostics import Diagnostic
from stringd.documents.syntax.document_text import Rendered, rendered
from stringd.documents.syntax.parser import Parsed, parse
from stringd.documents.syntax.shortcuts import Shortcuts, find_shortcuts


class ParsedDocument(Struct, frozen=True, kw_only=True):
    """A document, parsed once for rendering, listing, extraction and editing.

    `notice` says why a text is shown unparsed, if it could not be parsed; `from_outline` that its renderer
    gave it its structure.
    """

    parsed: Parsed
    shortcuts: Shortcuts
    actions: ActionBook
    rendered: Rendered
    notice: str | None = None
    from_outline: bool = False

    @property
    def body(self) -> str:
        """The text as it is shown."""
        return self.rendered.text

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The diagnostics of the document, in text order."""
        found = (*self.parsed.diagnostics, *self.shortcuts.diagnostics, *self.actions.diagnostics)
        return tuple(sorted(found, key=lambda it: it.line))

    @property
    def records(self) -> int:
        """How many records parsing has made; the memory that the document takes grows with them."""
        parsed = self.parsed
        counted = (parsed.links, parsed.blocks, parsed.definitions, parsed.directives, parsed.fences)
        described = (parsed.structure.headings, self.diagnostics, self.actions.actions, self.shortcuts.by_id)
        return sum(map(len, counted)) + sum(map(len, described)) + len(self.shortcuts.replacements)

    def block(self, block_id: str) -> Rendered | None:
        """Return a block as it is shown; None if there is no block of that id."""
        block = self.parsed.blocks.get(block_id)
        if block is None:
            return None
        return rendered(self.parsed, self.shortcuts, block.shown_first, block.inner_last)


def parse_document(text: str) -> ParsedDocument:
    """Parse a document with its shortcuts and actions, and render it."""
    parsed = parse(text)
    shortcuts = find_shortcuts(parsed)
    return ParsedDocument(
        parsed=parsed,
        shortcuts=shortcuts,
        actions=parse_actions(parsed.fences),
        rendered=rendered(parsed, shortcuts),
    )
