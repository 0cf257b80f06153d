"""Read a stored answer by parts, by lines, or by the lines that contain a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from stringd.api.outputs import KeptOutput
from stringd.documents.pagination.numbered_parts import PART, Naming, Parts
from stringd.documents.pagination.table_of_contents import PlacedHeading, placed_headings
from stringd.long_answers.output_words import FOOT, GREP, OutputWords
from stringd.text.line_matches import LineMatches
from stringd.workers.threads import READING

_LINE_END = "\n"


class KeptText(Struct, frozen=True, kw_only=True, dict=True):
    """A stored answer that is held in memory, with the words about it."""

    words: OutputWords
    output: KeptOutput

    @property
    def title(self) -> str:
        """The answer's number, its command and its size."""
        return self.words.title(len(self.text), self.text.count(_LINE_END) + 1)

    @property
    def text(self) -> str:
        """The complete text."""
        return self.output.text

    @property
    def is_plain(self) -> bool:
        """Whether the text is not Markdown."""
        return self.output.is_plain

    @property
    def is_printed(self) -> bool:
        """Whether a program has printed the text."""
        return self.output.is_printed

    @cached_property
    def naming(self) -> Naming:
        """The names of the answer and its parts."""
        command = self.words.command
        return Naming(
            mark=self.words.mark,
            title=f"Output {self.words.number}",
            command=command,
            outline=f"{command} {PART} N shows a part",
            others=f"{command} {GREP} '# ' finds them",
        )

    @cached_property
    def headings(self) -> Sequence[PlacedHeading]:
        """Its headings, with their positions."""
        return () if self.is_plain else placed_headings(self.text)

    @property
    def ids(self) -> Mapping[int, str]:
        """None, since only parts and lines can be shown."""
        return {}

    def parts(self, most: int) -> Parts:
        """Return the parts of at most `most` characters."""
        return Parts(self, most)

    async def part(self, number: int, most: int) -> str:
        """Return a part with its head and foot; refuse a number that is out of range."""
        return await READING.run(lambda: self.parts(most).view(number))

    async def lines(self, first: int, last: int | None, most: int) -> str:
        """Return lines by number, as many as fit into `most` characters."""
        return await READING.run(self._lines, first, last, most)

    async def matches(self, wanted: str, most: int) -> tuple[int, str]:
        """Return the number of lines that contain a text, ignoring case, and those that fit."""
        found = LineMatches(wanted, most - FOOT)
        await READING.run(found.add, self.text)
        return self.words.matches(found)

    def _lines(self, first: int, last: int | None, most: int) -> str:
        lines = self.text.split(_LINE_END)
        if first > len(lines):
            raise self.words.line_missing(first, len(lines))
        wanted = lines[first - 1 : last]
        return self.words.fitting_lines(wanted, first, first - 1 + len(wanted), most)
