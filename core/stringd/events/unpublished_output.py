"""A bounded buffer of program output that has not been published yet."""

from __future__ import annotations

import codecs
from collections import deque
from collections.abc import Mapping

from stringd.text.head_and_tail import limited, omission
from stringd.text.line_emulator import PrintedLines
from stringd.text.masking import margin_of, mask_head, mask_piece, mask_tail

MOST_BYTES = 16 * 1024
"""The most bytes that one event shows."""
_HALF = MOST_BYTES // 2
# Cursor movements and escaping may lengthen the text.
_MOST_CHARACTERS = 2 * MOST_BYTES


class PrintedText:
    """Collects bytes, and returns the text that a terminal would show, with secrets masked."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._in_tail = 0
        self._dropped = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._lines = PrintedLines()
        # May be the beginning of a secret.
        self._withheld = ""

    def add(self, data: bytes) -> None:
        """Collect output; of large output, only the beginning and the last pieces."""
        if len(self._head) < _HALF:
            self._head += data
            return
        tail = self._tail
        tail.append(data)
        self._in_tail += len(data)
        while self._in_tail - len(tail[0]) >= _HALF:
            count = len(tail.popleft())
            self._in_tail -= count
            self._dropped += count

    def take(self, names: Mapping[str, str], *, final: bool) -> str:
        """Return the new text, with each secret value replaced by its name.

        If the text ends with a possible beginning of a value, that end is withheld until more text follows,
        unless the text is `final`.
        """
        head, dropped, tail = self._take_bytes()
        before = self._take_head(head, dropped, names) if dropped else ""
        text = self._withheld + self._drawn(tail if dropped else head, final=final)
        masked, self._withheld = mask_piece(mask_tail(text, names) if dropped else text, names)
        if final:
            masked, self._withheld = masked + self._withheld, ""
        return limited(before + masked, _MOST_CHARACTERS)

    def _take_head(self, head: bytes, dropped: int, names: Mapping[str, str]) -> str:
        """Return the text before a cut, and the line that says how much is left out."""
        text = self._withheld + self._drawn(head, final=True)
        self._withheld = ""
        self._lines.begin_row()
        margin = margin_of(names)
        left_out = dropped + min(margin, len(text)) + min(margin, _HALF)
        return f"{mask_head(text, names)}\n{omission(left_out)}\n"

    def _take_bytes(self) -> tuple[bytes, int, bytes]:
        """Empty the buffer; return the head, the number of bytes left out after it, and the tail."""
        head, tail, dropped = bytes(self._head), b"".join(self._tail), self._dropped
        self._head.clear()
        self._tail.clear()
        self._in_tail = self._dropped = 0
        if dropped:
            return head[:_HALF], dropped + len(head) + len(tail) - MOST_BYTES, tail[-_HALF:]
        both = head + tail
        excess = len(both) - MOST_BYTES
        return (both, 0, b"") if excess <= 0 else (both[:_HALF], excess, both[-_HALF:])

    def _drawn(self, data: bytes, *, final: bool) -> str:
        return self._lines.show(self._decoder.decode(data, final=final), final=final)
