"""Tables of comma-separated values, or those separated by another character."""

from __future__ import annotations

import csv
import io
import sys

from stringd.plugin import LoadedBytes
from stringd.plugin.media_types import extension_of
from stringd.plugin.text import counted
from stringd_documents.markdown_blocks import MarkdownBlocks
from stringd_documents.text_decoding import decoded

_SEPARATORS = ",;\t|"
_SAMPLE = 64 * 1024
_ROWS = 20


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
    """Return the separator that divides the first rows into the most cells, equally many in each."""
    if "tab-separated" in loaded.media_type or extension_of(loaded.uri) == ".tsv":
        return "\t"
    return max(_SEPARATORS, key=lambda it: _fitness(text[:_SAMPLE], it))


def _fitness(sample: str, separator: str) -> tuple[float, int]:
    rows = csv.reader(io.StringIO(sample, newline=""), delimiter=separator)
    widths = [len(row) for row, _ in zip(rows, range(_ROWS), strict=False) if row]
    if not widths or max(widths) == 1:
        return 0.0, 0
    return widths.count(widths[0]) / len(widths), widths[0]
