"""The jobs of a shell, as bash lists them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

# Bash pads the state to the length of the longest description of a signal.
_ENTRY = re.compile(r"^\[(?P<number>\d+)\].  (?P<state>.{24})", re.MULTILINE)
_BREAK = re.compile(r"\s*\n\s*")
_ENDED = re.compile(r"(?!Running|Stopped)")
_NOT_TOLD = re.compile(r"Running|Stopped|Done|Exit|Interrupt|Broken")


class ListedJob(Struct, frozen=True, kw_only=True):
    """A job by its number in the shell, with the process group and the state that bash tells."""

    number: int
    group: int
    state: str
    command: str
    first_line: str

    @property
    def has_ended(self) -> bool:
        """Whether all its processes have ended."""
        return bool(_ENDED.match(self.state))

    @property
    def was_killed(self) -> bool:
        """Whether a signal ended it that shells tell of."""
        return not _NOT_TOLD.match(self.state)


def parse_jobs(groups: str, listing: str) -> Sequence[ListedJob]:
    """Read what `jobs -p` and `jobs` print about the same jobs, whose commands may have many lines."""
    ids = [int(word) for word in groups.split()]
    entries = _ascending(listing)
    ends = [*(entry.start() for entry in entries[1:]), len(listing)]
    return tuple(
        ListedJob(
            number=int(entry["number"]),
            group=group,
            state=entry["state"].strip(),
            command=_BREAK.sub(" ", listing[entry.end() : end].strip()).removesuffix("&").rstrip(),
            first_line=listing[entry.start() : end].partition("\n")[0],
        )
        for group, entry, end in zip(ids, entries, ends, strict=False)
    )


def _ascending(listing: str) -> Sequence[re.Match[str]]:
    """Return the beginnings of entries; a line of a command that looks like one is left out if it can be."""
    entries: list[re.Match[str]] = []
    for entry in _ENTRY.finditer(listing):
        if not entries or int(entry["number"]) > int(entries[-1]["number"]):
            entries.append(entry)
    return entries
