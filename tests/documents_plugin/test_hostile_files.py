"""Documents that are damaged, disguised, or made to harm."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from stringd.testing.process import DaemonProcess
from tests.documents_plugin.office_files import (
    archive,
    open_document,
    paragraph,
    relationships,
    sheet_row,
    word,
    workbook,
)
from tests.documents_plugin.pdf_files import pdf, text

Read = Callable[..., str]
MAIN = relationships({"r1": ("officeDocument", "word/document.xml")})
COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
LAUGHS = '<!DOCTYPE a [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><a>&b;</a>'
EPUB = {"mimetype": "application/epub+zip"}
DEEP_MAIL = b"".join(
    b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n' % (it, it) for it in range(1500)
)
HUGE_SHEET = open_document(
    "spreadsheet",
    '<table:table table:name="S"><table:table-row table:number-rows-repeated="1000000">'
    '<table:table-cell office:value-type="string" table:number-columns-repeated="1000"><text:p>x</text:p>'
    "</table:table-cell></table:table-row></table:table>",
    more={
        "META-INF/manifest.xml": '<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    },
)


def document(content: str | bytes) -> bytes:
    return archive({"_rels/.rels": MAIN, "word/document.xml": content})


@pytest.mark.requirement("documents.read.hostile")
@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("long.docx", word(paragraph("x" * 6_000_000))),
        ("long.eml", b"From: a\n\n" + b"x" * 6_000_000),
        ("long.csv", b"a,b\n" + b"x" * 6_000_000),
    ],
)
def test_a_block_beyond_the_limit_is_cut(read: Read, name: str, body: bytes) -> None:
    shown = read(name, body)
    assert re.match(r"\[page\] 5,000,[01]\d\d characters", shown.partition("---\n")[2] or shown)


@pytest.mark.requirement("documents.read.hostile")
@pytest.mark.parametrize(
    ("name", "body", "reason"),
    [
        ("bomb.docx", document(b"<a>" + bytes(80 << 20)), "unpacked, it is larger than"),
        ("laughs.docx", document(LAUGHS), "its XML is invalid: it declares entities"),
        ("wide.docx", document(LAUGHS.encode("utf-16")), "its XML is invalid: it declares entities"),
        ("deep.docx", word("<w:sdt>" * 9000 + "</w:sdt>" * 9000), "it is nested too deeply."),
        ("cut.docx", word(paragraph("x"))[:-40], "it is damaged: its end is missing."),
        ("cut.xlsx", workbook({"a": ""})[:200], "it is damaged: its end is missing."),
        ("cut.pdf", pdf([text(72, 700, "a")])[:300], "it is damaged, or no PDF document."),
        ("zip.docx", archive({"a": "b"}), "it is an archive, not such a document."),
        ("text.docx", b"only text", "its bytes are not those of such a document."),
        ("old.docx", COMPOUND, "it is in the format of Office before 2007."),
        (
            "secret.docx",
            COMPOUND + "EncryptedPackage".encode("utf-16-le"),
            "it is encrypted with a password.",
        ),
        ("deep.ipynb", b'{"cells":' + b"[" * 9000, "it is nested too deeply."),
        ("deep.eml", DEEP_MAIL, "it is nested too deeply."),
        ("huge.ods", HUGE_SHEET, "it is damaged, or has more than 100,000,000 cells."),
        ("list.ipynb", b"[]", "it is damaged, or no notebook."),
        ("empty.eml", b"\n\nno headers", "it is damaged, or no e-mail."),
        ("empty.epub", archive(EPUB), "it is damaged, or no EPUB book."),
        (
            "root.epub",
            archive({"META-INF/container.xml": "<container/>", **EPUB}),
            "it is damaged, or no EPUB",
        ),
        ("main.docx", archive({"word/x": ""}), "it is damaged: nothing in it says where its content is."),
    ],
)
def test_refused_with_the_reason(
    read: Read, daemon: DaemonProcess, name: str, body: bytes, reason: str
) -> None:
    answer = read(name, body)
    assert answer.startswith(f"ERROR(LOAD_ERROR): {name} can't be shown: {reason}")
    assert not answer.endswith(": ")
    assert daemon.exec('/set {a} = "1"').head["ok"]


@pytest.mark.requirement("documents.read.disguised")
def test_wrong_extension(read: Read) -> None:
    assert read("a.docx", pdf([text(72, 700, "A PDF")])).endswith("\nA PDF")
    assert read("a.pdf", word(paragraph("A text"))).endswith("\nA text")


@pytest.mark.requirement("documents.read.disguised")
@pytest.mark.parametrize("name", ["a", "a.md", "a.csv", "a.bin"])
def test_extension_of_a_text_or_none(read: Read, name: str) -> None:
    assert read(name, word(paragraph("A text"))).endswith("\nA text")
    assert read(name, open_document("text", "<text:p>An open text</text:p>")).endswith("\nAn open text")
    assert read(name, workbook({"S": sheet_row(1, "one")}), "--pages 1").endswith("| one |\n| --- |")
    assert read(name, archive({"a/word/document.xml": "b"})).startswith(
        f"Opened {name}\n---\n# {name}\n\ntype: "
    )
    assert read(name, b"\0\xff", "--pages 1").startswith("ERROR(INVALID_PAYLOAD): Not a document with pages")


@pytest.mark.requirement("documents.read.binary")
@pytest.mark.parametrize(
    "command",
    ["/edit a.pdf", "/edit a.pdf\nx", "/append a.pdf\nx", "/write a.pdf\nx", "/open a.pdf:L1", "/source"],
)
@pytest.mark.parametrize("content", ["\xff\xfe", "ASCII"])
def test_binary_documents_are_not_edited(
    read: Read, daemon: DaemonProcess, command: str, content: str
) -> None:
    body = pdf([text(72, 700, f"A PDF {content}")])
    read("a.pdf", body)
    answer = daemon.exec(command).content.partition("\n")[2]
    assert answer.startswith("ERROR(INVALID_TARGET): Not a text file, but a PDF document: a.pdf")
    assert (daemon.home / "a.pdf").read_bytes() == body


@pytest.mark.requirement("documents.read.cancel")
def test_conversion_can_be_cancelled(daemon: DaemonProcess) -> None:
    (daemon.home / "a.pdf").write_bytes(pdf([text(72, 700, "word " * 15)] * 20_000))
    replies: list[str] = []
    asked = Thread(target=lambda: replies.append(daemon.exec("/open a.pdf", request_id="it").content))
    asked.start()
    deadline = time.monotonic() + 20
    while "cancelled" not in daemon.exec("/cancel").content.lower() and time.monotonic() < deadline:
        assert asked.is_alive()
    asked.join(20)
    assert replies
    assert "ERROR(CANCELLED)" in replies[0]


@pytest.mark.requirement("documents.read.missing")
@pytest.mark.parametrize(
    ("library", "name", "body"),
    [
        ("pypdfium2", "a.pdf", pdf([""])),
        ("python_calamine", "a.xlsx", workbook({"a": ""})),
    ],
)
def test_missing_library_says_how_to_get_it(
    start_daemon: Callable[..., DaemonProcess], tmp_path: Path, library: str, name: str, body: bytes
) -> None:
    (tmp_path / f"{library}.py").write_text(
        f'raise ModuleNotFoundError("No module named {library}", name="{library}")', encoding="utf-8"
    )
    daemon = start_daemon(pythonpath=[tmp_path])
    daemon.register("default", daemon.home)
    (daemon.home / name).write_bytes(body)
    (daemon.home / "a.docx").write_bytes(word(paragraph("still")))
    assert daemon.exec(f"/open {name}").content.partition("\n")[2] == (
        f"ERROR(LOAD_ERROR): {name} can't be shown: that needs the package {library}.\n"
        "pip install 'stringd[documents]'"
    )
    assert daemon.exec("/open a.docx").content.endswith("still")
