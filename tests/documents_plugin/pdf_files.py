"""Small PDF documents, made here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_FIRST = 3
PLAIN, BOLD, CODE = "Helvetica", "Helvetica-Bold", "Courier"
FONTS = " ".join(
    f"/{name} << /Type /Font /Subtype /Type1 /BaseFont /{name} >>" for name in (PLAIN, BOLD, CODE)
)


def text(x: float, y: float, content: str, size: float = 11, font: str = PLAIN) -> str:
    """Return the instructions that print a text at a place, in points from the bottom left."""
    return f"BT /{font} {size} Tf {x} {y} Td ({content}) Tj ET\n"


def rule(left: float, bottom: float, right: float, top: float) -> str:
    """Return the instructions that draw a line."""
    return f"{left} {bottom} m {right} {top} l S\n"


def pdf(pages: Sequence[str], *, bookmarks: Sequence[tuple[str, int]] = (), trailer: str = "") -> bytes:
    """Return a document with pages of instructions, and bookmarks with a title and a page from 0."""
    marks = _FIRST + 2 * len(pages)
    kids = " ".join(f"{_FIRST + 2 * index} 0 R" for index in range(len(pages)))
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {f'/Outlines {marks} 0 R' if bookmarks else ''} >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>",
    ]
    for index, content in enumerate(pages):
        contents = f"/Contents {_FIRST + 2 * index + 1} 0 R"
        resources = f"/MediaBox [0 0 595 842] /Resources << /Font << {FONTS} >> >>"
        objects.append(f"<< /Type /Page /Parent 2 0 R {resources} {contents} >>")
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    return _file([*objects, *_outline(marks, bookmarks)], trailer)


def _outline(first: int, bookmarks: Sequence[tuple[str, int]]) -> Iterator[str]:
    if bookmarks:
        ends = f"/First {first + 1} 0 R /Last {first + len(bookmarks)} 0 R"
        yield f"<< {ends} /Count {len(bookmarks)} >>"
    for number, (name, page) in enumerate(bookmarks, start=1):
        following = f"/Next {first + number + 1} 0 R" if number < len(bookmarks) else ""
        yield f"<< /Title ({name}) /Parent {first} 0 R {following} /Dest [{_FIRST + 2 * page} 0 R /Fit] >>"


def encrypted() -> bytes:
    """Return a document that needs a password."""
    zeros = "00" * 32
    keys = f"/Filter /Standard /V 1 /R 2 /O <{zeros}> /U <{zeros}> /P -4"
    return pdf([text(72, 700, "secret")], trailer=f"/Encrypt << {keys} >> /ID [<00> <00>]")


def _file(objects: Sequence[str], trailer: str) -> bytes:
    pieces, places, size = [b"%PDF-1.4\n"], [], 9
    for number, content in enumerate(objects, start=1):
        places.append(size)
        pieces.append(f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1"))
        size += len(pieces[-1])
    count = len(objects) + 1
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"xref\n0 {count}\n0000000000 65535 f \n{table}trailer\n"
    end += f"<< /Size {count} /Root 1 0 R {trailer} >>\nstartxref\n{size}\n%%EOF\n"
    return b"".join(pieces) + end.encode()
