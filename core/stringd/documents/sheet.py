"""A text and all that is read out of it, kept for the next time the same text is opened."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

from stringd.documents.actions import ActionBook, parse_actions
from stringd.documents.outline import Flaw
from stringd.documents.parse import Parsed, parse
from stringd.documents.render import render
from stringd.documents.shortcuts import Shortcuts, find_shortcuts

# Characters of text; what is read out of one takes several times its size in memory.
REMEMBERED = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A document's text, taken apart once: what is rendered, listed, extracted and edited is all of it."""

    parsed: Parsed
    shortcuts: Shortcuts
    actions: ActionBook
    body: str

    @property
    def flaws(self) -> tuple[Flaw, ...]:
        """What can't mean what its author meant, in the order of the text."""
        found = (*self.parsed.warnings, *self.shortcuts.warnings, *self.actions.warnings)
        return tuple(sorted(found, key=lambda flaw: flaw.line))

    def block(self, block_id: str) -> str | None:
        """Return a block as it is shown; None if there is none of that id."""
        block = self.parsed.blocks.get(block_id)
        if block is None:
            return None
        first = block.inner if block.level is None else block.first
        return render(self.parsed, self.shortcuts, first, block.inner_last)


def read_sheet(text: str) -> Sheet:
    """Take a text apart. The text itself is the key: no clock can make an old reading pass for a new one."""
    return _sheets.get(text)


class _Sheets:
    """The sheets of the texts that were read last, as many as their size allows; any thread may ask."""

    def __init__(self) -> None:
        self._by_text: OrderedDict[str, Sheet] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def get(self, text: str) -> Sheet:
        with self._lock:
            sheet = self._by_text.get(text)
            if sheet is not None:
                self._by_text.move_to_end(text)
                return sheet
        sheet = _read(text)
        with self._lock:
            self._keep(text, sheet)
        return sheet

    def _keep(self, text: str, sheet: Sheet) -> None:
        if text in self._by_text:
            return
        self._by_text[text] = sheet
        self._size += len(text)
        while self._size > REMEMBERED and len(self._by_text) > 1:
            dropped, _ = self._by_text.popitem(last=False)
            self._size -= len(dropped)


def _read(text: str) -> Sheet:
    parsed = parse(text)
    shortcuts = find_shortcuts(parsed)
    return Sheet(
        parsed=parsed,
        shortcuts=shortcuts,
        actions=parse_actions(parsed.fences),
        body=render(parsed, shortcuts),
    )


_sheets = _Sheets()
