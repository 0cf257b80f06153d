"""A text and all that is read out of it, kept for the next time the same text is opened."""

from __future__ import annotations

from dataclasses import dataclass

from stringd.documents.actions import ActionBook, parse_actions
from stringd.documents.outline import Flaw
from stringd.documents.parse import Parsed, parse
from stringd.documents.remembered import Remembered
from stringd.documents.render import Rendered, rendered
from stringd.documents.shortcuts import Shortcuts, find_shortcuts


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A document's text, taken apart once: what is rendered, listed, extracted and edited is all of it."""

    parsed: Parsed
    shortcuts: Shortcuts
    actions: ActionBook
    rendered: Rendered

    @property
    def body(self) -> str:
        """The text as it is shown."""
        return self.rendered.text

    @property
    def flaws(self) -> tuple[Flaw, ...]:
        """What can't mean what its author meant, in the order of the text."""
        found = (*self.parsed.warnings, *self.shortcuts.warnings, *self.actions.warnings)
        return tuple(sorted(found, key=lambda flaw: flaw.line))

    def block(self, block_id: str) -> Rendered | None:
        """Return a block as it is shown; None if there is none of that id."""
        block = self.parsed.blocks.get(block_id)
        if block is None:
            return None
        first = block.inner if block.level is None else block.first
        return rendered(self.parsed, self.shortcuts, first, block.inner_last)


def read_sheet(text: str) -> Sheet:
    """Take a text apart, unless that was done lately."""
    sheet = known_sheet(text)
    if sheet is None:
        sheet = _read(text)
        _sheets.keep(text, sheet, len(text))
    return sheet


def known_sheet(text: str) -> Sheet | None:
    """Return what was read out of a text lately, if it was."""
    return _sheets.get(text)


def _read(text: str) -> Sheet:
    parsed = parse(text)
    shortcuts = find_shortcuts(parsed)
    return Sheet(
        parsed=parsed,
        shortcuts=shortcuts,
        actions=parse_actions(parsed.fences),
        rendered=rendered(parsed, shortcuts),
    )


# The text itself is the key: no clock can make an old reading pass for a new one.
_sheets: Remembered[str, Sheet] = Remembered()
