"""The size of a terminal."""

from __future__ import annotations

import re

from msgspec import Struct

_SIZE = re.compile(r"(\d{1,4})x(\d{1,4})")
_LEAST, _MOST = 2, 1000


class Size(Struct, frozen=True, kw_only=True):
    """A size in characters."""

    columns: int
    rows: int

    @property
    def area(self) -> int:
        """The number of cells."""
        return self.columns * self.rows

    @classmethod
    def parse(cls, text: str) -> Size | None:
        """Parse a size such as `120x40`; return None for any other text."""
        match = _SIZE.fullmatch(text.strip())
        columns, rows = map(int, match.groups()) if match else (0, 0)
        fits = _LEAST <= columns <= _MOST and _LEAST <= rows <= _MOST
        return cls(columns=columns, rows=rows) if fits else None
