"""Read a very long output, of which only a few pieces are in memory at a time."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

from msgspec import Struct

from stringd.api.outputs import Outputs, PiecedOutput
from stringd.documents.pagination.numbered_parts import PART
from stringd.errors import ErrorCode, Refusal
from stringd.long_answers.output_words import FOOT, OutputWords
from stringd.text.formatting import counted
from stringd.text.line_matches import LineMatches
from stringd.workers.threads import READING

# What is said above and below a part, beside the numbers in it.
_AROUND = 200
# A part may be longer by this share, as it ends at a line end.
_SNAP = 1 / 4


class PiecedText(Struct, frozen=True, kw_only=True, dict=True):
    """A stored output in pieces, with the words about it."""

    words: OutputWords
    output: PiecedOutput
    outputs: Outputs

    is_printed = True

    @property
    def title(self) -> str:
        """The output's number, its command and its size."""
        return self.words.title(self.output.characters, self.output.lines)

    def part_count(self, most: int) -> int:
        """Return the number of parts of at most `most` characters."""
        return -(-self.output.characters // _room(most))

    async def part(self, number: int, most: int) -> str:
        """Return a part with its head and foot; refuse a number that is out of range."""
        count, mark = self.part_count(most), self.words.mark
        if not 1 <= number <= count:
            are = f"Output {self.words.number} has {counted(count, 'part')}."
            raise Refusal(ErrorCode.NOT_FOUND, f"Part not found: {number}", are)
        first, last = [await self._border(it, most) for it in (number - 1, number)]
        text, left = await self.between(first, last), self.output.characters - last
        head = f"{mark} {self.output.characters:,} characters, part 1 of {count}"
        if number > 1:
            head = f"{mark} part {number} of {count}, from line {await self._line_at(first)}"
        foot = f"{mark} part {number} of {count} is the last one"
        if left:
            foot = f"{mark} {left:,} characters left — {self.words.command} {PART} {number + 1}"
        return f"{head}\n\n{text}{'' if text.endswith(chr(10)) else chr(10)}\n{foot}"

    async def lines(self, first: int, last: int | None, most: int) -> str:
        """Return lines by number, as many as fit into `most` characters."""
        total = self.output.lines
        if first > total:
            raise self.words.line_missing(first, total)
        end = min(last or total, total)
        index = bisect_right(self._line_ends, first - 2) if first > 1 else 0
        before = first - 1 - (self._line_ends[index - 1] if index else 0)
        text = await self._piece(index)
        # The line begins in this piece, at its end at the latest.
        text = text.split("\n", before)[before]
        while text.count("\n") <= end - first and len(text) <= most and index + 1 < len(self.output.pieces):
            index += 1
            text += await self._piece(index)
        wanted = text.split("\n")[: end - first + 1]
        is_cut = text.count("\n") < len(wanted) and index + 1 < len(self.output.pieces)
        return self.words.fitting_lines(wanted, first, end, most, is_cut=is_cut)

    async def matches(self, wanted: str, most: int) -> tuple[int, str]:
        """Return the number of lines that contain a text, ignoring case, and those that fit."""
        found = LineMatches(wanted, most - FOOT)
        for index in range(len(self.output.pieces)):
            await READING.run(found.add, await self._piece(index))
        return self.words.matches(found)

    async def between(self, first: int, last: int) -> str:
        """Return the text from one position to another."""
        texts = []
        for index in range(self._index_at(first), len(self.output.pieces)):
            start = self._ends[index] - self.output.pieces[index].characters
            if start >= last:
                break
            texts.append((await self._piece(index))[max(first - start, 0) : last - start])
        return "".join(texts)

    async def _border(self, number: int, most: int) -> int:
        """Return where the part of a number ends: at a line end, if there is one near."""
        room, end = _room(most), self.output.characters
        place = number * room
        if not 0 < place < end:
            return min(place, end)
        first = place - int(room * _SNAP)
        return first + ((await self.between(first, place)).rfind("\n") + 1 or place - first)

    async def _line_at(self, place: int) -> int:
        index = self._index_at(place)
        before = self.output.pieces[index]
        text = (await self._piece(index))[: place - (self._ends[index] - before.characters)]
        return self._line_ends[index] - before.line_ends + text.count("\n") + 1

    async def _piece(self, index: int) -> str:
        return await self.outputs.piece(self.output, index)

    def _index_at(self, place: int) -> int:
        """Return the index of the piece that contains a position."""
        return min(bisect_right(self._ends, place), len(self.output.pieces) - 1)

    @cached_property
    def _ends(self) -> list[int]:
        return list(accumulate(it.characters for it in self.output.pieces))

    @cached_property
    def _line_ends(self) -> list[int]:
        return list(accumulate(it.line_ends for it in self.output.pieces))


def _room(most: int) -> int:
    return int((most - _AROUND) / (1 + _SNAP))
