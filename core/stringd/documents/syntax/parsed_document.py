"""A text and all that is read out of it."""

from __future__ import annotations

from dataclasses import dataclass

from stringd.documents.syntax.actions import ActionBook, parse_actions
from stringd.documents.syntax.blocks import Flaw
from stringd.documents.syntax.parser import Parsed, parse
from stringd.documents.syntax.rendering import Rendered, rendered
from stringd.documents.syntax.shortcuts import Shortcuts, find_shortcuts


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedDocument:
    """A document's text, taken apart once: what is rendered, listed, extracted and edited is all of it.

    `notice` tells why a text is shown as it is, if it could not be taken apart; `from_outline` that its
    renderer gave it its structure.
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
    def flaws(self) -> tuple[Flaw, ...]:
        """What can't mean what its author meant, in the order of the text."""
        found = (*self.parsed.warnings, *self.shortcuts.warnings, *self.actions.warnings)
        return tuple(sorted(found, key=lambda flaw: flaw.line))

    @property
    def records(self) -> int:
        """How many things were read out of the text: what it takes in memory grows with them."""
        parsed = self.parsed
        counted = (parsed.links, parsed.blocks, parsed.definitions, parsed.directives, parsed.fences)
        described = (parsed.structure.headings, self.flaws, self.actions.actions, self.shortcuts.by_id)
        return sum(map(len, counted)) + sum(map(len, described)) + len(self.shortcuts.replacements)

    def block(self, block_id: str) -> Rendered | None:
        """Return a block as it is shown; None if there is none of that id."""
        block = self.parsed.blocks.get(block_id)
        if block is None:
            return None
        first = block.inner if block.level is None else block.first
        return rendered(self.parsed, self.shortcuts, first, block.inner_last)


def take_apart(text: str) -> ParsedDocument:
    """Take a text apart."""
    parsed = parse(text)
    shortcuts = find_shortcuts(parsed)
    return ParsedDocument(
        parsed=parsed,
        shortcuts=shortcuts,
        actions=parse_actions(parsed.fences),
        rendered=rendered(parsed, shortcuts),
    )
