"""What a program has printed and nobody has seen yet, within bounds."""

from __future__ import annotations

import codecs
from collections.abc import Mapping

from stringd.text.head_tail_buffer import HeadTailBuffer, omission
from stringd.text.masking import mask_head, mask_piece, mask_tail
from stringd.text.printed_lines import PrintedLines

MOST_BYTES = 16 * 1024
"""The most that one event shows of it."""


class PrintedText:
    """Collects bytes, and hands out the text that a terminal would show of them, with secrets masked."""

    def __init__(self) -> None:
        self._bytes = HeadTailBuffer(MOST_BYTES)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._lines = PrintedLines()
        # May be the beginning of a secret.
        self._withheld = ""

    def add(self, data: bytes) -> None:
        """Collect what was printed."""
        self._bytes.add(data)

    def take(self, names: Mapping[str, str], *, final: bool) -> str:
        """Return what is new, with each of some values replaced by its name.

        An end that may be the beginning of a value is withheld until more has come; of the `final` text
        nothing is.
        """
        head, dropped, tail = self._bytes.take()
        before = ""
        if dropped:
            before = mask_head(self._withheld + self._drawn(head, final=True), names)
            before = f"{before}\n{omission(dropped)}\n"
            self._withheld = ""
            self._lines.begin_row()
        after = self._withheld + self._drawn(tail if dropped else head + tail, final=final)
        if dropped:
            after = mask_tail(after, names)
        masked, self._withheld = mask_piece(after, names)
        if final:
            masked, self._withheld = masked + self._withheld, ""
        return before + masked

    def _drawn(self, data: bytes, *, final: bool) -> str:
        return self._lines.show(self._decoder.decode(data, final=final), final=final)
