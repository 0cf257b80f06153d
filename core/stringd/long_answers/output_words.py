"""What is said around stored answers: their titles, the commands that show more, and what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from stringd.documents.pagination.numbered_parts import PART
from stringd.errors import ErrorCode, Refusal
from stringd.text.line_matches import LineMatches

COMMAND = "output"
LINES, GREP = "--lines", "--grep"
FOOT = 150
"""The most characters that are said below lines, beside the numbers in it."""


class OutputWords(Struct, frozen=True, kw_only=True, dict=True):
    """The words about an answer of a number; `slash` is the prefix of commands in its topic."""

    number: int
    label: str
    slash: str

    @property
    def command(self) -> str:
        """The command that shows it."""
        return f"{self.slash}{COMMAND} {self.number}"

    @property
    def mark(self) -> str:
        """What lines about it begin with."""
        return f"[output {self.number}]"

    def title(self, characters: int, lines: int) -> str:
        """Return its number, its command and its size."""
        return f"Output {self.number}: {self.label} ({characters:,} characters, {_lines(lines)})"

    def ways(self, parts: int, lines: tuple[int, int] | None) -> str:
        """Return the commands that show what is left out: these lines, a part, or lines with a text."""
        exact = f"{LINES} {lines[0]}-{lines[1]} | " if lines else ""
        return f"{self.command} {exact}{PART} 1 (of {parts}) | {GREP} TEXT"

    def line_missing(self, line: int, lines: int) -> Refusal:
        """Return the refusal of a line that does not exist."""
        are = f"Output {self.number} has {_lines(lines)}."
        return Refusal(ErrorCode.NOT_FOUND, f"Line not found: {line}", are)

    def fitting_lines(
        self, wanted: Sequence[str], first: int, end: int, most: int, *, is_cut: bool = False
    ) -> str:
        """Return lines from the number `first` to `end`, as many as fit; the last given one may be cut."""
        if len(wanted) == end - first + 1 and sum(map(len, wanted)) + len(wanted) - 1 <= most:
            return "\n".join(wanted)
        shown = list(_fitting(wanted, most - FOOT))
        if not shown:
            size = f"{'more than ' if is_cut and len(wanted) == 1 else ''}{len(wanted[0]):,}"
            how = f"{self.command} {PART} N shows all of it in parts"
            said = f"{self.mark} line {first} has {size} characters — {how}"
            return f"{wanted[0][: most - FOOT]}\n{said}"
        following = first + len(shown)
        left = f"{self.mark} {_lines(end - following + 1)} left — {self.command} {LINES} {following}-{end}"
        return "\n".join((*shown, left))

    def matches(self, found: LineMatches) -> tuple[int, str]:
        """Return the number of lines that contain a text, and those that fit."""
        shown = found.shown
        if more := found.count - len(shown):
            shown = [*shown, f"… and {more:,} more: what is longer is found less often"]
        return found.count, "\n".join(shown)


def _lines(number: int) -> str:
    return f"{number:,} {'line' if number == 1 else 'lines'}"


def _fitting(lines: Sequence[str], most: int) -> Iterator[str]:
    """Yield the first lines, as many as fit into a number of characters."""
    for line in lines:
        most -= len(line) + 1
        if most < 0:
            return
        yield line
