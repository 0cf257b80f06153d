"""Read a stored answer by parts, by lines, or by the lines that contain a text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from stringd.api.outputs import KeptOutput
from stringd.documents.pagination.numbered_parts import PART, Naming, Parts
from stringd.documents.pagination.table_of_contents import PlacedHeading, placed_headings
from stringd.errors import ErrorCode, Refusal

COMMAND = "output"
LINES, GREP = "--lines", "--grep"
_LINE_END = "\n"
_AROUND = 120
# What is said below lines, beside the numbers in it.
_FOOT = 150


@dataclass(frozen=True, kw_only=True)
class KeptText:
    """A stored answer with its number; `slash` is the prefix of commands in its topic."""

    number: int
    output: KeptOutput
    slash: str

    @property
    def title(self) -> str:
        """The answer's number, its command and its size."""
        size = f"{len(self.text):,} characters, {_lines(self.text.count(_LINE_END) + 1)}"
        return f"Output {self.number}: {self.output.label} ({size})"

    @property
    def text(self) -> str:
        """The complete text."""
        return self.output.text

    @property
    def is_plain(self) -> bool:
        """Whether the text is not Markdown."""
        return self.output.is_plain

    @cached_property
    def naming(self) -> Naming:
        """The names of the answer and its parts."""
        return Naming(
            mark=f"[output {self.number}]",
            title=f"Output {self.number}",
            command=self._command,
            outline=f"{self._command} {PART} N shows a part",
            others=f"{self._command} {GREP} '# ' finds them",
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

    def ways(self, most: int, lines: tuple[int, int] | None) -> str:
        """Return the commands that show what is left out: these lines, a part, or lines with a text."""
        exact = f"{LINES} {lines[0]}-{lines[1]} | " if lines else ""
        return f"{self._command} {exact}{PART} 1 (of {self.parts(most).count}) | {GREP} TEXT"

    def lines(self, first: int, last: int | None, most: int) -> str:
        """Return lines by number, as many as fit into `most` characters."""
        lines = self.text.split("\n")
        if first > len(lines):
            are = f"Output {self.number} has {_lines(len(lines))}."
            raise Refusal(ErrorCode.NOT_FOUND, f"Line not found: {first}", are)
        wanted = lines[first - 1 : last]
        if sum(map(len, wanted)) + len(wanted) - 1 <= most:
            return "\n".join(wanted)
        shown = list(_fitting(wanted, most - _FOOT))
        if not shown:
            return self._beginning(wanted[0], first, most - _FOOT)
        end, following = first - 1 + len(wanted), first + len(shown)
        foot = f"[output {self.number}] {_lines(end - following + 1)} left — "
        return "\n".join((*shown, f"{foot}{self._command} {LINES} {following}-{end}"))

    def matches(self, wanted: str, most: int) -> tuple[int, str]:
        """Return the number of lines that contain a text, ignoring case, and those that fit."""
        folded, room, count = wanted.lower(), most - _FOOT, 0
        shown: list[str] = []
        for number, line in enumerate(self.text.split(_LINE_END), 1):
            place = line.lower().find(folded)
            if place < 0:
                continue
            count += 1
            if room >= 0:
                row = f"{number}: {_around(line, place, len(wanted))}"
                room -= len(row) + 1
                shown += [row] if room >= 0 else []
        if more := count - len(shown):
            shown.append(f"… and {more:,} more: what is longer is found less often")
        return count, "\n".join(shown)

    @property
    def _command(self) -> str:
        return f"{self.slash}{COMMAND} {self.number}"

    def _beginning(self, line: str, number: int, most: int) -> str:
        """Return the beginning of a line that exceeds the limit."""
        how = f"{self._command} {PART} N shows all of it in parts"
        return f"{line[:most]}\n[output {self.number}] line {number} has {len(line):,} characters — {how}"


def _lines(number: int) -> str:
    return f"{number:,} {'line' if number == 1 else 'lines'}"


def _fitting(lines: list[str], most: int) -> Iterator[str]:
    """Yield the first lines, as many as fit into a number of characters."""
    for line in lines:
        most -= len(line) + 1
        if most < 0:
            return
        yield line


def _around(line: str, place: int, length: int) -> str:
    """Return a line, or the part of a long one around a position."""
    first, last = max(place - _AROUND, 0), place + length + _AROUND
    return f"{'…' * (first > 0)}{line[first:last]}{'…' * (last < len(line))}"
