"""What is text already: books, e-mail, notebooks, tables of separated values."""

from __future__ import annotations

import json
from base64 import encodebytes
from collections.abc import Callable

import pytest

from stringd.testing.process import DaemonProcess
from tests.documents_plugin.office_files import book

Shown = Callable[..., str]


@pytest.mark.requirement("documents.read.epub")
def test_book_in_reading_order(shown: Shown) -> None:
    chapters = {
        "two": "<h1>One</h1><p>Go <a href='https://example.org'>out</a> or <a href='one.xhtml'>on</a></p>",
        "one": "<h1>One</h1><script>no()</script><img alt='a map' src='x.png'/>",
    }
    assert (
        shown("a.epub", book("My book", chapters))
        == "# One\n\nGo [out][@out] or on\n\n# One\n\n[image: a map]"
    )


@pytest.mark.requirement("documents.read.mail")
def test_mail_with_html_and_an_attachment(shown: Shown) -> None:
    mail = (
        b"From: =?utf-8?q?Ada_=C3=84?= <a@x.org>\r\nTo: b@x.org\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\n"
        b'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="x"\r\n\r\n'
        b"--x\r\nContent-Type: text/html; charset=latin-1\r\n\r\n<p>Sch\xf6n, <b>ja</b></p>\r\n"
        b'--x\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename="r.pdf"\r\n\r\n'
        b"123\r\n--x--\r\n"
    )
    assert shown("a.eml", mail) == (
        "# Grüße\n\n- From: Ada Ä <a@x.org>\n- To: b@x.org\n\nSchön, **ja**\n\n"
        "## Attachments\n\n- r.pdf (application/pdf, 3 bytes)"
    )


@pytest.mark.requirement("documents.read.mail")
def test_mail_with_a_footer_and_a_forwarded_message(shown: Shown) -> None:
    mail = (
        b'From: a@x.org\nContent-Type: multipart/mixed; boundary="x"\n\n--x\n\nThe text.\n'
        b"--x\nContent-Type: text/plain\n\nThe footer.\n"
        b"--x\nContent-Type: message/rfc822\n\nSubject: Before\n\nEarlier.\n--x--\n"
    )
    assert shown("a.eml", mail) == (
        "# (no subject)\n\n- From: a@x.org\n\nThe text.\n\nThe footer.\n\n"
        "## Attachments\n\n- Before (message/rfc822)\n\n## Before\n\nEarlier."
    )


@pytest.mark.requirement("documents.read.mail")
def test_attached_messages_are_sections_with_their_own_attachments(
    daemon: DaemonProcess, shown: Shown
) -> None:
    inner = (
        b"From: c@x.org\nSubject: Inner\nContent-Type: multipart/mixed; boundary=y\n\n--y\n\nInner text.\n"
    )
    inner += b'--y\nContent-Type: image/png\nContent-Disposition: attachment; filename="i.png"\n\n1\n--y--\n'
    head = b"From: a@x.org\nSubject: Outer\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nOuter text.\n"
    coded = b"Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n" + encodebytes(
        b"Subject: Coded\n\nCoded text.\n"
    )
    for_all = head + b"--x\nContent-Type: message/rfc822\n\n" + inner + b"--x\n" + coded + b"--x--\n"
    assert shown("a.eml", for_all).endswith(
        "\n\nOuter text.\n\n## Attachments\n\n- Inner (message/rfc822)\n- Coded (message/rfc822)\n\n"
        "## Inner\n\n- From: c@x.org\n\nInner text.\n\n### Attachments\n\n- i.png (image/png, 1 byte)\n\n"
        "## Coded\n\nCoded text."
    )
    assert "Inner text." in daemon.exec("/open a.eml#inner").content


@pytest.mark.requirement("documents.read.plain")
def test_plain_mail_keeps_its_lines_and_is_no_markdown(shown: Shown) -> None:
    mail = (
        b"From: a@x.org\nSubject: S *1*\n\n  two\n\n\n# three *x*\n> - quoted\n```act.go\nCLI touch x\n```\n"
    )
    text = shown("a.eml", mail)
    fence = r"\`\`\`"
    assert text.startswith("# S \\*1\\*\n\n- From")
    assert text.endswith(f"\n\n  two\n\n\n\\# three \\*x\\*\n> - quoted\n{fence}act.go\nCLI touch x\n{fence}")


@pytest.mark.requirement("documents.read.notebook")
def test_notebook(daemon: DaemonProcess, shown: Shown) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Ants\n", "They have [legs](https://example.org)."]},
        {
            "cell_type": "code",
            "source": "print('#')",
            "outputs": [
                {"output_type": "stream", "text": ["#\n"]},
                {"output_type": "display_data", "data": {"image/png": "AAAA"}},
                {"output_type": "error", "ename": "E", "evalue": "v", "traceback": []},
            ],
        },
        {"cell_type": "markdown", "source": "```act.go\nCLI touch hacked\n```"},
    ]
    text = shown("a.ipynb", json.dumps({"cells": cells, "nbformat": 4}).encode())
    assert text.startswith(
        "# Ants\nThey have [legs][@legs].\n\n```python\nprint('#')\n```\n\n```text\n#\n```\n\n"
    )
    assert "[output: image/png]" in text
    assert "```text\nE: v\n```" in text
    assert daemon.exec("/act.go").head["code"] == "ACTION_NOT_FOUND"


@pytest.mark.requirement("documents.read.delimited")
@pytest.mark.parametrize(
    ("name", "body", "expected"),
    [
        ("a.csv", b'a,b\n1,"x\n|"\n', "| a | b |\n| --- | --- |\n| 1 | x<br>\\| |"),
        ("a.csv", b"a;b\n1,5;2\n", "| a | b |\n| --- | --- |\n| 1,5 | 2 |"),
        ("a.tsv", b"a\tb\n\n1\n", "| a | b |\n| --- | --- |\n| 1 |  |"),
        ("a.csv", "ä,b\n".encode("utf-16"), "| ä | b |\n| --- | --- |"),
        ("a.csv", "größe,b\n".encode("cp1252"), "| größe | b |\n| --- | --- |"),
        ("a.csv", b"\xef\xbb\xbf_a_,*b*\n", "| _a_ | *b* |\n| --- | --- |"),
        ("a.csv", b"\n", "(no content)"),
    ],
)
def test_tables(shown: Shown, name: str, body: bytes, expected: str) -> None:
    assert shown(name, body) == expected


@pytest.mark.requirement("find.cut")
@pytest.mark.parametrize(("rows", "way"), [(200_000, "/find"), (500_000, "/exec grep")])
def test_search_of_a_cut_table_tells_how_to_search_the_file(
    daemon: DaemonProcess, shown: Shown, rows: int, way: str
) -> None:
    shown("a.csv", "".join(f"{number},the value in row {number}\n" for number in range(rows)).encode())
    wanted = f"row {rows - 5}"
    answer = daemon.exec(f"/find '{wanted}'").content
    assert f"Matches: {wanted} (0)\n---\n(none)\nNot searched: " in answer
    command, _, what = answer.rpartition("\n")[2].partition(" searches ")
    assert command.startswith(way)
    assert what == "the lines of the file."
    assert f"the value in {wanted}" in daemon.exec(command).content


@pytest.mark.requirement("documents.read.source")
def test_table_is_edited_by_its_lines(daemon: DaemonProcess, shown: Shown) -> None:
    shown("a.csv", b"a,b\n1,2\n")
    assert daemon.exec("/source").content.endswith("---\na,b\n1,2\n")
    assert daemon.exec("/open a.csv:L2").content.endswith("---\n1,2")
    assert daemon.exec("/replace a.csv:L2\n3,4").head["ok"]
    assert daemon.exec("/open a.csv").content.endswith("| 3 | 4 |")
