"""The headings of a PDF document: what its bookmarks name, or what is larger than its other text."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import pypdfium2 as pdfium

from stringd_documents.pdf.page_lines import Line, follows

_MOST_BOOKMARKS = 20_000
_LONGEST, _LONGEST_BOLD = 200, 80
_MOST_LINES = 3
_MOSTLY = 0.3
_LARGER = 1.12
_MOST_LEVELS = 4
_NOT_WORDS = re.compile(r"[\W_]+")
_NUMBER = re.compile(r"^(?:\d+|[ivxlc]+)(?:\.\d+)*\.?\s+", re.IGNORECASE)
_SENTENCE = re.compile(r"[.,;:]$")


class Headings:
    """Tells which lines are headings, and of which level."""

    def __init__(self, document: pdfium.PdfDocument, pages: Iterable[Sequence[Line]]) -> None:
        self._bookmarks = _bookmarks(document)
        sizes = _sizes(pages)
        self._body = sizes.most_common(1)[0][0] if sizes else 0.0
        larger = sorted((it for it in sizes if it > self._body * _LARGER), reverse=True)
        self._has_plain_text = _share_of_bold(pages) < _MOSTLY
        self._levels = {size: min(level, _MOST_LEVELS) for level, size in enumerate(larger, start=1)}

    def at(self, lines: Sequence[Line], place: int, page: int) -> tuple[int, int] | None:
        """Return the level of the heading that begins with a line, and its end; None for other lines."""
        line = lines[place]
        if len(line.text) > _LONGEST or not any(map(str.isalpha, line.text)):
            return None
        if self._bookmarks:
            return _marked(self._bookmarks.get(page, {}), lines, place)
        level = self._level(line)
        return (level, self._end(lines, place, level)) if level else None

    def _end(self, lines: Sequence[Line], place: int, level: int) -> int:
        """Return the end of a heading, which may be on several lines of one size, close together."""
        end = place + 1
        while (
            end < len(lines)
            and self._level(lines[end]) == level
            and follows(lines[end - 1], lines[end])
            and lines[end].left <= lines[place].right
        ):
            end += 1
        return end

    def _level(self, line: Line) -> int | None:
        level = self._levels.get(_rounded(line.size)) if line.is_even else None
        return level or self._bold_level(line)

    def _bold_level(self, line: Line) -> int | None:
        """Return the level of a bold line that is no larger than others: below those that are."""
        stands_out = line.is_bold and self._has_plain_text and len(line.segments) == 1
        if not stands_out or len(line.text) > _LONGEST_BOLD or _SENTENCE.search(line.text):
            return None
        return min(len(self._levels), _MOST_LEVELS) + 1


def _marked(titles: Mapping[str, int], lines: Sequence[Line], place: int) -> tuple[int, int] | None:
    """Return the level and the end of lines that together are the title of a bookmark."""
    spellings = [_words(lines[place].segments[0].text)]
    text = ""
    for end in range(place + 1, min(place + _MOST_LINES, len(lines)) + 1):
        text = f"{text} {lines[end - 1].text}".lstrip()
        spellings += [_words(text), _words(_NUMBER.sub("", text))]
        level = next((titles[it] for it in spellings if it in titles), None)
        if level:
            return level, end
        if not any(title.startswith(it) for title in titles for it in spellings[-2:] if it):
            break
    return None


def _bookmarks(document: pdfium.PdfDocument) -> dict[int, dict[str, int]]:
    """Return the levels of the titles among the bookmarks, by page."""
    found: defaultdict[int, dict[str, int]] = defaultdict(dict)
    for _, bookmark in zip(range(_MOST_BOOKMARKS), document.get_toc(), strict=False):
        target = bookmark.get_dest()
        page = target.get_index() if target else None
        words = _words(bookmark.get_title())
        if page is not None and words:
            found[page].setdefault(words, bookmark.level + 1)
    return dict(found)


def _share_of_bold(pages: Iterable[Sequence[Line]]) -> float:
    """Return how much of the text is bold; in some documents all of it seems so."""
    lines = [it for lines in pages for it in lines]
    return sum(len(it.text) for it in lines if it.is_bold) / max(1, sum(len(it.text) for it in lines))


def _sizes(pages: Iterable[Sequence[Line]]) -> Counter[float]:
    """Return how much text there is in each size."""
    sizes: Counter[float] = Counter()
    for line in (it for lines in pages for it in lines):
        sizes[_rounded(line.size)] += len(line.text)
    return sizes


def _rounded(size: float) -> float:
    return round(size * 2) / 2


def _words(text: str) -> str:
    return _NOT_WORDS.sub("", text).lower()
