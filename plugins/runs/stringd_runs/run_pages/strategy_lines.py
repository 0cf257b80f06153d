"""The lines of a strategy around the one that is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stringd.plugin import Refusal, Runtime, User
from stringd.plugin.files import HomeFiles
from stringd.plugin.workers import STORAGE

_PLACE = re.compile(r"(?P<path>.+):(?P<line>\d{1,9})")
_BEFORE, _AFTER = 2, 1
_LONGEST_LINE = 160


async def lines_around(place: str, user: User, runtime: Runtime) -> Sequence[str]:
    """Return the numbered lines around `PATH:LINE`, the line itself marked; none if it is no such place."""
    found = _PLACE.fullmatch(place)
    if found is None:
        return ()
    try:
        data = await STORAGE.run(HomeFiles(user, runtime).content, found["path"])
    except (OSError, Refusal):
        return ()
    return tuple(_lines(data.decode(errors="replace").splitlines(), int(found["line"])))


def _lines(lines: Sequence[str], wrong: int) -> Iterator[str]:
    first, last = max(1, wrong - _BEFORE), min(len(lines), wrong + _AFTER)
    for number in range(first, last + 1):
        mark = "→" if number == wrong else " "
        yield f"{mark} {number:>4}  {lines[number - 1][:_LONGEST_LINE]}"
