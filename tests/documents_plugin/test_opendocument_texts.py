"""OpenDocument texts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stringd.testing.process import DaemonProcess
from tests.documents_plugin.office_files import open_document

Shown = Callable[..., str]
STYLES = (
    '<style:style style:name="B"><style:text-properties fo:font-weight="bold"/></style:style>'
    '<style:style style:name="P1" style:parent-style-name="Title"/>'
    '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1"/>'
    "</text:list-style>"
)


@pytest.mark.requirement("documents.read.opendocument")
def test_headings_styles_links_and_notes(shown: Shown) -> None:
    body = (
        '<text:p text:style-name="P1">The title</text:p>'
        '<text:h text:outline-level="2">Part</text:h>'
        '<text:p>A<text:s text:c="2"/><text:span text:style-name="B">bold</text:span> and '
        '<text:a xlink:href="https://example.org">link</text:a><text:note><text:note-citation>1</text:note-citation>'
        "<text:note-body><text:p>Below.</text:p></text:note-body></text:note></text:p>"
    )
    expected = "# The title\n\n## Part\n\nA  **bold** and [link][@link][^1]\n\n[^1]: Below."
    assert shown("a.odt", open_document("text", body, STYLES)) == expected


@pytest.mark.requirement("documents.read.opendocument")
def test_old_file_with_a_document_type(daemon: DaemonProcess, shown: Shown) -> None:
    named = '<?xml version="1.0"?>\n<!DOCTYPE office:document-meta PUBLIC "-//OpenOffice.org" "office.dtd">'
    old = {
        "meta.xml": f"{named}<office:meta xmlns:office='o'><title>Its title</title></office:meta>",
        "META-INF/manifest.xml": "<no:namespace/>",
    }
    assert shown("a.odt", open_document("text", "<text:p>Old</text:p>", more=old)) == "Old"
    assert "title: Its title" in daemon.exec("/info").content


@pytest.mark.requirement("documents.read.encrypted")
def test_encrypted(read: Shown) -> None:
    manifest = {"META-INF/manifest.xml": "<m:manifest><m:encryption-data/></m:manifest>"}
    answer = read("a.odt", open_document("text", "", more=manifest))
    assert answer.startswith("ERROR(LOAD_ERROR): a.odt can't be shown: it is encrypted with a password.")


@pytest.mark.requirement("documents.read.opendocument")
def test_lists_and_tables(shown: Shown) -> None:
    nested = "<text:list><text:list-item><text:p>in</text:p></text:list-item></text:list>"
    listed = (
        '<text:list text:style-name="L"><text:list-item><text:p>one</text:p>'
        f"{nested}</text:list-item><text:list-item><text:p>two</text:p></text:list-item></text:list>"
    )
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    rows = "".join(
        f"<table:table-row>{''.join(map(cell.format, row))}</table:table-row>" for row in ("ab", "cd")
    )
    shown_text = shown("a.odt", open_document("text", f"{listed}<table:table>{rows}</table:table>", STYLES))
    assert shown_text == "1. one\n   - in\n2. two\n\n| a | b |\n| --- | --- |\n| c | d |"
