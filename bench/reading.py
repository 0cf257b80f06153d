"""Benchmarks of reading documents of other programs, against other libraries for the same formats.

LibreOffice and pandoc make the documents from pages of our own documentation, so that their text is known.
"""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import docx
import mammoth
import odf.opendocument
import odf.teletype
import odf.text
import openpyxl
import pdfminer.high_level
import pptx
import pypdf
from python_calamine import CalamineWorkbook

from bench.rooms import measurement
from bench.table import Row, at_least, at_most
from stringd.plugin import LoadedBytes
from stringd.plugin.media_types import rendered_type_of_name
from stringd_documents.document_conversion import convert

Reader = Callable[[Path], str]

_PAGE = Path(__file__).parent.parent / "docs" / "reference" / "hooks.md"
_MAKERS = ("soffice", "pandoc")
_WORDS = re.compile(r"\w+")
_ROWS, _COLUMNS = 20_000, 8
_ROUNDS = 3
_FOUND = 0.99


def _ours(path: Path) -> str:
    media_type = rendered_type_of_name(path.name) or ""
    return convert(LoadedBytes(uri=path.as_uri(), media_type=media_type, body=path.read_bytes())).text


def _python_docx(path: Path) -> str:
    """Read the paragraphs and the tables; the library has no text of a whole document."""
    texts = []
    for block in docx.Document(str(path)).iter_inner_content():
        rows = getattr(block, "rows", None)
        texts += (
            [getattr(block, "text", "")] if rows is None else [it.text for row in rows for it in row.cells]
        )
    return "\n".join(texts)


def _mammoth(path: Path) -> str:
    with path.open("rb") as file:
        return str(mammoth.convert_to_markdown(file).value)


def _odfpy(path: Path) -> str:
    document = odf.opendocument.load(str(path))
    blocks = (it for kind in (odf.text.H, odf.text.P) for it in document.getElementsByType(kind))
    return "\n".join(str(odf.teletype.extractText(it)) for it in blocks)


def _python_pptx(path: Path) -> str:
    shapes = (shape for slide in pptx.Presentation(str(path)).slides for shape in slide.shapes)
    return "\n".join(_shape_text(it) for it in shapes)


def _shape_text(shape: object) -> str:
    table = getattr(shape, "table", None) if getattr(shape, "has_table", False) else None
    if table is None:
        return str(getattr(shape, "text", ""))
    return "\n".join(cell.text for row in table.rows for cell in row.cells)


def _pypdf(path: Path) -> str:
    return "\n".join(page.extract_text() for page in pypdf.PdfReader(path).pages)


def _pdfminer(path: Path) -> str:
    return pdfminer.high_level.extract_text(path)


def _openpyxl(path: Path) -> str:
    book = openpyxl.load_workbook(path, read_only=True)
    return "\n".join(str(value) for sheet in book for row in sheet.values for value in row)


def _calamine(path: Path) -> str:
    book = CalamineWorkbook.from_path(path)
    sheets = (book.get_sheet_by_name(name).to_python() for name in book.sheet_names)
    return "\n".join(str(value) for rows in sheets for row in rows for value in row)


_PEERS: Mapping[str, Mapping[str, Reader]] = {
    "docx": {"python-docx": _python_docx, "mammoth": _mammoth},
    "odt": {"odfpy": _odfpy},
    "pptx": {"python-pptx": _python_pptx},
    "pdf": {"pdfminer.six": _pdfminer, "pypdf": _pypdf},
    "xlsx": {"openpyxl": _openpyxl, "python-calamine alone": _calamine},
}
# At most so many times as long as the fastest of the others; python-calamine alone makes no table.
_LONGEST = {"docx": 1.0, "odt": 1.0, "pptx": 1.5, "pdf": 0.5, "xlsx": 3.0}


@measurement
def formats() -> Iterator[Row]:
    """Time, and how many of the words are found, for each format."""
    if not all(map(shutil.which, _MAKERS)):
        yield Row(what="reading documents", measured=f"not measured without {' and '.join(_MAKERS)}")
        return
    with TemporaryDirectory() as folder:
        for suffix, path in _documents(Path(folder)).items():
            yield from _rows(suffix, path)


def _rows(suffix: str, path: Path) -> Iterator[Row]:
    words = _words(path.with_suffix(".known").read_text(encoding="utf-8"))
    times = {name: _seconds(read, path) for name, read in _PEERS[suffix].items()}
    ours, fastest = _seconds(_ours, path), min(times.values())
    others = ", ".join(f"{name} {seconds * 1000:.0f} ms" for name, seconds in times.items())
    what = f"reading .{suffix} of {path.stat().st_size // 1024} KB"
    measured = f"{ours * 1000:.0f} ms"
    yield at_most(_LONGEST[suffix], ours / fastest, what=what, measured=measured, reference=others)
    found = _share_found(words, _ours(path))
    shares = ", ".join(
        f"{name} {_share_found(words, read(path)):.1%}" for name, read in _PEERS[suffix].items()
    )
    yield at_least(_FOUND, found, what=f"words found in .{suffix}", measured=f"{found:.1%}", reference=shares)


def _documents(folder: Path) -> dict[str, Path]:
    """Make a document of each format, with its known text beside it."""
    page, table = folder / "page.md", folder / "table.csv"
    page.write_text(_PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    table.write_text(_table(), encoding="utf-8")
    for suffix in ("docx", "odt", "pptx"):
        _run("pandoc", str(page), "-o", str(folder / f"page.{suffix}"))
    _run("pandoc", str(page), "-t", "plain", "--wrap=none", "-o", str(folder / "page.known"))
    for source, suffix in (("page.docx", "pdf"), ("table.csv", "xlsx")):
        _run("soffice", "--headless", "--convert-to", suffix, "--outdir", str(folder), str(folder / source))
    (folder / "table.known").write_text(_table(), encoding="utf-8")
    names = {suffix: "table" if suffix == "xlsx" else "page" for suffix in _PEERS}
    return {suffix: folder / f"{name}.{suffix}" for suffix, name in names.items()}


def _table() -> str:
    text = io.StringIO()
    rows = ([f"cell{row}x{column}" for column in range(_COLUMNS)] for row in range(_ROWS))
    csv.writer(text).writerows(rows)
    return text.getvalue()


def _run(*command: str) -> None:
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True)


def _seconds(read: Reader, path: Path) -> float:
    def once() -> float:
        start = time.process_time()
        read(path)
        return time.process_time() - start

    return min(once() for _ in range(_ROUNDS))


def _words(text: str) -> Counter[str]:
    return Counter(_WORDS.findall(text.replace("\\", "")))


def _share_found(known: Counter[str], text: str) -> float:
    return (known & _words(text)).total() / known.total()
