"""Printed output as a reply shows it, with the whole of it where that is too long for memory."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator

from msgspec import Struct

from stringd.plugin import PrintedText
from stringd.plugin.processes import Spill
from stringd.plugin.terminal import PrintedLines


class Printed(Struct, frozen=True, kw_only=True):
    """A text, and all of it in sections if the text is only its beginning and end."""

    text: str = ""
    whole: tuple[str | PrintedText, ...] = ()

    @property
    def sections(self) -> tuple[str | PrintedText, ...]:
        """All of it."""
        return self.whole or (self.text,)

    def skip(self, characters: int) -> None:
        """Leave out the beginning of what is not in memory."""
        for it in self.whole:
            if isinstance(it, SpilledLines):
                it.skipped = characters

    def framed(self, title: str) -> Printed:
        """Frame what the program of a reply did not print; return nothing for no text."""
        if not self.text:
            return self
        above, below = f"[{title}]\n", f"\n[end of {title}]"
        whole = (above, *self.whole, below) if self.whole else ()
        return Printed(text=f"{above}{self.text}{below}", whole=whole)


def joined(parts: Iterable[Printed]) -> Printed:
    """Join what is not empty, line by line."""
    shown = [it for it in parts if it.text]
    if not any(it.whole for it in shown):
        return Printed(text="\n".join(it.text for it in shown))
    sections = [section for it in shown for section in ("\n", *it.sections)]
    return Printed(text="\n".join(it.text for it in shown), whole=tuple(sections[1:]))


class SpilledLines:
    """The lines that a terminal shows of output in a spill; the first `skipped` characters are left out."""

    def __init__(self, spill: Spill) -> None:
        self._spill = spill
        self.skipped = 0

    @property
    def lost(self) -> str:
        """How much of it is lost, and why; empty if nothing is."""
        return self._spill.lost

    def text(self) -> Iterator[str]:
        """Yield the text in pieces, without the line end at its end."""
        decoder, lines = codecs.getincrementaldecoder("utf-8")("replace"), PrintedLines()
        left, held = self.skipped, ""
        for data in self._spill.read():
            text = lines.show(decoder.decode(data))
            text, left = text[left:], max(left - len(text), 0)
            if text:
                yield held + text[:-1]
                held = text[-1]
        yield (held + lines.show(decoder.decode(b"", final=True), final=True)).removesuffix("\n")

    def close(self) -> None:
        """Remove the spill."""
        self._spill.close()
