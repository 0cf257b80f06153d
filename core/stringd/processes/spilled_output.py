"""Output of programs beyond what is held in memory: in nameless files, bounded each and together."""

from __future__ import annotations

import codecs
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from stringd.text.head_and_tail import OUTPUT_LIMIT, HeadTailBuffer, omission

LARGEST_SPILL = 128 * 1024 * 1024
"""The most bytes of one output that are kept."""
LARGEST_OF_ALL = 1024 * 1024 * 1024
"""The most bytes that the outputs of all running programs may take at once."""
_LEAST = 2 * 1024 * 1024
_PIECE = 1024 * 1024


class Spill:
    """The bytes of one output, in a file of its own; beyond a size, those in the middle are dropped."""

    def __init__(self, spills: Spills, size: int) -> None:
        self._spills = spills
        self.size = size
        self._head = size // 2
        self._ring = size - self._head
        self._received = 0
        # It has no name, so it ends with this process.
        self._file = tempfile.TemporaryFile(dir=spills.directory, buffering=0)  # noqa: SIM115
        self.failure: str | None = None
        """Why it holds no more, if a write has failed."""

    def __del__(self) -> None:
        self.close()

    @property
    def lost(self) -> str:
        """How much of it is lost, and why; empty if nothing is."""
        lost = f"{self.dropped:,} bytes" if self.dropped else ""
        return f"{lost or 'the end'} ({self.failure})" if self.failure else lost

    @property
    def dropped(self) -> int:
        """How many bytes are lost in the middle."""
        return max(self._received - self.size, 0)

    def add(self, data: bytes) -> None:
        """Append bytes; those that come after a failed write are not kept."""
        view = memoryview(data)
        while len(view) and self.failure is None:
            place, room = self._place(self._received)
            try:
                written = os.pwrite(self._file.fileno(), view[:room], place)
            except OSError as error:
                self.failure = error.strerror or str(error)
                return
            self._received += written
            view = view[written:]

    def read(self) -> Iterator[bytes]:
        """Yield the bytes in pieces, with a note in place of what is lost."""
        yield from self._read(0, min(self._received, self._head))
        if self._received <= self._head:
            return
        if self.dropped:
            yield f"\n{omission(self.dropped)}\n".encode()
        yield from self._read(self._head + self.dropped, self._received)

    def text(self) -> Iterator[str]:
        """Yield the decoded text in pieces, without the line end at its end."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        held = ""
        for data in self.read():
            text = held + decoder.decode(data)
            # No piece ends within a line end, and the last line end is not part of the text.
            end = len(text) - (3 if text[-3:-1] == "\r\n" else 2)
            held = text[max(end, 0) :]
            yield text[: max(end, 0)]
        yield (held + decoder.decode(b"", final=True)).removesuffix("\n")

    def close(self) -> None:
        """Remove the file."""
        if not self._file.closed:
            self._file.close()
            self._spills.release(self.size)

    def _place(self, position: int) -> tuple[int, int]:
        """Return where in the file a byte lies, and how many bytes have room from there on."""
        if position < self._head:
            return position, self._head - position
        turn = (position - self._head) % self._ring
        return self._head + turn, self._ring - turn

    def _read(self, first: int, last: int) -> Iterator[bytes]:
        while first < last:
            place, room = self._place(first)
            data = os.pread(self._file.fileno(), min(room, last - first, _PIECE), place)
            if not data:
                return
            first += len(data)
            yield data


class Spills:
    """Opens spills in a directory; the more there are at once, the less each may hold."""

    def __init__(self, size: int = LARGEST_SPILL, of_all: int = LARGEST_OF_ALL) -> None:
        # Looked for when it is needed: sealed worker processes, which import this, have none.
        self.directory: Path | None = None
        self._size = size
        self._free = of_all

    def open(self) -> Spill | None:
        """Return a new spill; None if there is no room or no file."""
        size = min(self._size, self._free // 2)
        if size < _LEAST:
            return None
        try:
            spill = Spill(self, size)
        except OSError:
            return None
        self._free -= size
        return spill

    def release(self, size: int) -> None:
        """Take back the room of a spill."""
        self._free += size


SPILLS = Spills()


class SpillingBuffer(HeadTailBuffer):
    """Collect bytes; those dropped from the middle are kept in a spill."""

    def __init__(self, limit: int = OUTPUT_LIMIT) -> None:
        super().__init__(limit)
        self._spill: Spill | None = None
        self._has_spilled = False

    def add(self, data: bytes) -> None:
        """Append bytes; the first that exceed the limit move everything into a spill."""
        if not self._has_spilled and len(self) + len(data) > self.limit:
            self._has_spilled = True
            self._spill = SPILLS.open()
            if self._spill:
                for held in self.peek():
                    self._spill.add(held)
        if self._spill:
            self._spill.add(data)
        super().add(data)

    def take(self) -> tuple[bytes, int, bytes]:
        """Empty the buffer; what `take_spill` has not returned before is lost."""
        if spill := self.take_spill():
            spill.close()
        return super().take()

    def take_spill(self) -> Spill | None:
        """Return the spill with everything since the buffer was empty, if there is one."""
        spill, self._spill, self._has_spilled = self._spill, None, False
        return spill
