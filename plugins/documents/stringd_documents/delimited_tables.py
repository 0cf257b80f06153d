"""Tables of comma-separated values, or those separated by another character."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections import Counter

from stringd.plugin import LoadedBytes
from stringd.plugin.media_types import extension_of
from stringd.plugin.text import counted
from stringd_documents.markdown_blocks import MarkdownBlocks
from stringd_documents.text_decoding import decoded

_SEPARATORS = ",;\t|"
_SAMPLE = 64 * 1024
_ROWS = 100
_QUOTED_CELL = re.compile(r'(?<![^,;\t|\r\n])"(?:[^"]|"")*+"(?![^,;\t|\r\n])')
_LINE_ENDS = re.compile(r"[\r\n]+")
# A separator within a text is followed by a blank, and one within a number is a comma.
_UNDIVIDED = re.compile(r"[;\t|](?!\s)|,(?![\s\d])|(?<!\d),(?!\s)")


def read(loaded: LoadedBytes, blocks: MarkdownBlocks) -> None:
    """Add the table; beyond the limit, say how many of its rows are left out."""
    text = decoded(loaded.body, loaded.media_type)
    # The text is in memory anyway; the limit of the module is for those who read from elsewhere.
    csv.field_size_limit(sys.maxsize)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text, loaded))
    rows = (row for row in reader if row)
    if more := blocks.data_table(rows):
        blocks.omission(f"{counted(more, 'more row')}: /open path:L1000-L2000 shows lines of a file.")


def _separator(text: str, loaded: LoadedBytes) -> str:
    """Return the separator that divides the first rows best; the comma if none does."""
    if "tab-separated" in loaded.media_type or extension_of(loaded.uri) == ".tsv":
        return "\t"
    sample = _QUOTED_CELL.sub("quoted", text[:_SAMPLE])
    rows = [row for row in _LINE_ENDS.split(sample) if row][:_ROWS]
    fitness = {it: _fitness(rows, it) for it in _SEPARATORS}
    best = max(_SEPARATORS, key=fitness.__getitem__)
    return best if fitness[best] > 0 else ","


def _fitness(rows: list[str], separator: str) -> float:
    """Return how well a separator divides rows.

    Each divided row counts for it, twice if it has as many cells as most have, and less the more cells look
    as if another character separated them. Each undivided row, such as a title, counts against it.
    """
    divided = [row.split(separator) for row in rows if separator in row]
    if not divided:
        return 0.0
    cells = [cell for row in divided for cell in row]
    whole = sum(1 for it in cells if not _UNDIVIDED.search(it)) / len(cells)
    most = max(Counter(map(len, divided)).values())
    return whole * (len(divided) + most) - (len(rows) - len(divided))
