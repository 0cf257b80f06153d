"""The lines of a page of a PDF document, from the positions of its characters."""

from __future__ import annotations

import ctypes
import re
import unicodedata
from collections.abc import Iterator

import pypdfium2 as pdfium
import pypdfium2.raw as pdf
from msgspec import Struct, field
from msgspec.structs import replace

# PDFium's own signs for a hyphen at the end of a line, and for what is no character.
_HYPHEN, _NO_CHARACTERS = 0x02, {0, 0xFFFE, 0xFFFF}
_LIGATURES = range(0xFB00, 0xFB07)
# Widths in parts of the font's size: a gap between words, and one between cells of a table.
_WORD_GAP, _CELL_GAP = 0.15, 1.0
_FIXED_PITCH, _FORCE_BOLD = 1 << 0, 1 << 18
_BOLD_FONTS = (b"bold", b"black", b"heavy", b"demi", b"cmbx")
_CODE_FONTS = (b"mono", b"courier", b"cmtt")
_LONGEST_NAME = 128
_SMALLEST, _UNEVEN = 1.0, 0.05
# In heights of a line: the space between paragraphs, and the difference of size within one.
PARAGRAPH_GAP, _SIZE_STEP = 0.6, 0.25
# The dots that lead to a page number in a table of contents.
_LEADERS = re.compile(r"(?:\s?[.·…]){5,}\s?")
BULLETS = r"•‣◦▪●○■□▸►∙·–—\-*\uf0b7\uf0a7"
"""What begins the items of lists, for a set in a pattern."""
_MARK = re.compile(rf"[{BULLETS}]|\d{{1,3}}[.)]")


class Segment(Struct):
    """Text on one line without a wide gap: its extent in points, from the bottom left, and its font."""

    text: str
    left: float
    right: float
    bottom: float
    top: float
    size: float
    is_even: bool = True
    is_bold: bool = False
    is_code: bool = False


class Line(Struct):
    """What stands on one line of a page, from left to right."""

    segments: list[Segment] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text of the line."""
        return " ".join(it.text for it in self.segments)

    @property
    def left(self) -> float:
        """Where it begins."""
        return min(it.left for it in self.segments)

    @property
    def right(self) -> float:
        """Where it ends."""
        return max(it.right for it in self.segments)

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return min(it.bottom for it in self.segments)

    @property
    def top(self) -> float:
        """Its upper edge."""
        return max(it.top for it in self.segments)

    @property
    def size(self) -> float:
        """The size of its font, that of most of its text."""
        return max(self.segments, key=lambda it: len(it.text)).size

    @property
    def is_even(self) -> bool:
        """Whether all of it seems to be of one size."""
        return all(it.is_even for it in self.segments)

    @property
    def is_bold(self) -> bool:
        """Whether all of it is bold."""
        return all(it.is_bold for it in self.segments)

    @property
    def is_code(self) -> bool:
        """Whether all of it is in a font with letters of one width."""
        return all(it.is_code for it in self.segments)


def follows(above: Line, line: Line, most: float = PARAGRAPH_GAP) -> bool:
    """Whether a line continues the block of the one above it, with at most so much space between."""
    height = max(above.size, line.size)
    gap = above.bottom - line.top
    return -height <= gap <= most * height and abs(above.size - line.size) <= _SIZE_STEP * height


def lines_of(page: pdfium.PdfPage) -> list[Line]:
    """Return the lines of a page, in the order in which they are in the document."""
    text_page = page.get_textpage()
    try:
        return list(_LineReader(text_page.raw).lines())
    finally:
        text_page.close()


class _LineReader:
    """Joins characters to segments, and segments to lines."""

    def __init__(self, raw: object) -> None:
        self._raw = raw
        self._segments: list[Segment] = []
        self._characters: list[str] = []
        self._indices = (0, 0)
        """The first and the last character of the segment."""
        self._box = pdf.FS_RECTF()

    def lines(self) -> Iterator[Line]:
        for index in range(pdf.FPDFText_CountChars(self._raw)):
            code = pdf.FPDFText_GetUnicode(self._raw, index)
            if code in _NO_CHARACTERS:
                continue
            # PDFium ends lines between the columns of a table, too; only the positions tell where they end.
            if chr(code).isspace():
                self._add_blank()
            else:
                yield from self._take(index, "-" if code == _HYPHEN else _character(code))
        yield from self._ended_line()

    def _take(self, index: int, character: str) -> Iterator[Line]:
        # The loose box has the height of the font, whatever the letter, as the page scales it.
        pdf.FPDFText_GetLooseCharBox(self._raw, index, self._box)
        box = (self._box.left, self._box.right, self._box.bottom, self._box.top)
        if self._segments and not self._continues_line(box):
            yield from self._ended_line()
        if self._segments and box[0] - self._segments[-1].right <= _CELL_GAP * self._segments[-1].size:
            self._extend(character, box)
        else:
            self._begin(index, character, box)
        self._indices = (self._indices[0], index)

    def _continues_line(self, box: tuple[float, float, float, float]) -> bool:
        last = self._segments[-1]
        left, _, bottom, top = box
        height = (bottom + top) / 2
        return left > last.right - last.size and last.bottom <= height <= last.top

    def _extend(self, character: str, box: tuple[float, float, float, float]) -> None:
        last = self._segments[-1]
        gap = box[0] - last.right
        if gap > _WORD_GAP * last.size and self._characters[-1] != " ":
            self._characters.append(" ")
        self._characters.append(character)
        last.right = max(last.right, box[1])
        last.bottom, last.top = min(last.bottom, box[2]), max(last.top, box[3])

    def _begin(self, index: int, character: str, box: tuple[float, float, float, float]) -> None:
        self._end_segment()
        self._indices = (index, index)
        is_bold, is_code = self._font(index)
        size = max(box[3] - box[2], _SMALLEST)
        self._segments.append(Segment("", *box, size=size, is_bold=is_bold, is_code=is_code))
        self._characters = [character]

    def _font(self, index: int) -> tuple[bool, bool]:
        """Return whether the font of a character is bold, and whether its letters are of one width."""
        flags, name = ctypes.c_int(), ctypes.create_string_buffer(_LONGEST_NAME)
        pdf.FPDFText_GetFontInfo(self._raw, index, name, _LONGEST_NAME, flags)
        named = name.value.lower()
        # PDFium guesses a weight where the font states none; the name is more reliable.
        is_bold = bool(flags.value & _FORCE_BOLD) or any(it in named for it in _BOLD_FONTS)
        is_code = bool(flags.value & _FIXED_PITCH) or any(it in named for it in _CODE_FONTS)
        return is_bold, is_code

    def _add_blank(self) -> None:
        if self._characters and self._characters[-1] != " ":
            self._characters.append(" ")

    def _end_segment(self) -> None:
        if not self._characters:
            return
        last = self._segments[-1]
        last.text = _LEADERS.sub(" … ", "".join(self._characters).strip())
        self._characters = []
        others = (sum(self._indices) // 2, self._indices[1])
        # The first word may be in a larger font than the text; letters of drawn fonts have their own sizes.
        sizes = sorted((last.size, *map(self._size, others)))
        last.size, last.is_even = sizes[1], sizes[2] - sizes[0] <= _UNEVEN * sizes[1]
        if last.is_bold or last.is_code:
            fonts = [self._font(it) for it in others]
            last.is_bold = last.is_bold and all(is_bold for is_bold, _ in fonts)
            last.is_code = last.is_code and all(is_code for _, is_code in fonts)

    def _size(self, index: int) -> float:
        pdf.FPDFText_GetLooseCharBox(self._raw, index, self._box)
        return max(float(self._box.top - self._box.bottom), _SMALLEST)

    def _ended_line(self) -> Iterator[Line]:
        self._end_segment()
        segments = [it for it in self._segments if it.text]
        self._segments = []
        if len(segments) > 1 and _MARK.fullmatch(segments[0].text):
            segments[:2] = [_with_mark(*segments[:2])]
        if segments:
            yield Line(segments)


def _with_mark(mark: Segment, segment: Segment) -> Segment:
    """Return the text of an item together with the bullet or number before it."""
    return replace(segment, text=f"{mark.text} {segment.text}", left=mark.left)


def _character(code: int) -> str:
    character = chr(code)
    return unicodedata.normalize("NFKC", character) if code in _LIGATURES else character
