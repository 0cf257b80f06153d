"""Word documents."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stringd.testing.process import DaemonProcess
from tests.documents_plugin.office_files import paragraph, word, word_part

Shown = Callable[..., str]
STYLES = (
    '<w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:styleId="H2"><w:name w:val="heading 2"/></w:style>'
    '<w:style w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="H2"/></w:style>'
    '<w:style w:styleId="Code"><w:name w:val="Source Code"/></w:style>'
    '<w:style w:styleId="Loop"><w:name w:val="Loop"/><w:basedOn w:val="Loop"/></w:style>'
)
LEVELS = "".join(
    f'<w:lvl w:ilvl="{depth}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/>'
    f'<w:lvlText w:val="{text}"/></w:lvl>'
    for depth, kind, text in ((0, "decimal", "%1."), (1, "lowerLetter", "%2)"))
)
NUMBERING = word_part(
    "numbering",
    f'<w:abstractNum w:abstractNumId="7">{LEVELS}</w:abstractNum>'
    '<w:abstractNum w:abstractNumId="8"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>'
    '<w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>'
    '<w:num w:numId="3"><w:abstractNumId w:val="7"/>'
    '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>',
)


def run(text: str, look: str = "") -> str:
    return f'<w:r><w:rPr>{look}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def style(name: str) -> str:
    return f'<w:pStyle w:val="{name}"/>'


def item(numbering: int, depth: int, text: str) -> str:
    properties = f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="{numbering}"/></w:numPr>'
    return paragraph(text, properties)


@pytest.mark.requirement("documents.read.word")
def test_headings_by_style_and_what_it_is_based_on(daemon: DaemonProcess, shown: Shown) -> None:
    body = paragraph("One", style("H1")) + paragraph("Two", style("Mine")) + paragraph("Text", style("Loop"))
    assert shown("a.docx", word(body, styles=STYLES)) == "# One\n\n## Two\n\nText"
    assert daemon.exec("/open #two").content.endswith("#two\n---\n## Two\n\nText")


@pytest.mark.requirement("documents.read.word")
def test_styles_of_text_and_links(shown: Shown) -> None:
    runs = run("bold ", "<w:b/>") + run("both", "<w:b/><w:i/>") + run(" not", '<w:b w:val="0"/>')
    link = f'<w:hyperlink r:id="web">{run("a link")}</w:hyperlink>'
    body = f"<w:p>{runs}</w:p><w:p>See {link}<w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>"
    assert shown("a.docx", word(body)) == "**bold** ***both*** not\n\n[a link][@a-link]"


@pytest.mark.requirement("documents.read.word")
def test_lists_count_as_word_does(shown: Shown) -> None:
    body = (
        item(1, 0, "a")
        + item(1, 1, "b")
        + item(1, 1, "c")
        + item(1, 0, "d")
        + item(3, 0, "e")
        + item(2, 0, "f")
    )
    expected = "1. a\n   - a) b\n   - b) c\n2. d\n1. e\n- f"
    assert shown("a.docx", word(body, {"word/numbering.xml": NUMBERING})) == expected


@pytest.mark.requirement("documents.read.word")
def test_tables_with_merged_cells(shown: Shown) -> None:
    def cell(text: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(text)}</w:tc>"

    wide, begun, merged = '<w:gridSpan w:val="2"/>', '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    rows = (
        f"<w:tr>{cell('a|b')}{cell('c', wide)}</w:tr>"
        f"<w:tr>{cell('d', begun)}{cell('e')}{cell('f')}</w:tr>"
        f"<w:tr>{cell('', merged)}{cell('g')}{cell('h')}</w:tr>"
    )
    expected = "| a\\|b | c |  |\n| --- | --- | --- |\n| d | e | f |\n|  | g | h |"
    assert shown("a.docx", word(f"<w:tbl>{rows}</w:tbl>")) == expected


@pytest.mark.requirement("documents.read.word")
def test_code_and_footnotes(shown: Shown) -> None:
    note = word_part("footnotes", f'<w:footnote w:id="5">{paragraph("The note.")}</w:footnote>')
    body = (
        paragraph("if x:", style("Code"))
        + paragraph("    y", style("Code"))
        + f'<w:p>{run("Text")}<w:r><w:footnoteReference w:id="5"/></w:r></w:p>'
    )
    expected = "```\nif x:\n    y\n```\n\nText[^1]\n\n[^1]: The note."
    assert shown("a.docx", word(body, {"word/footnotes.xml": note}, STYLES)) == expected


@pytest.mark.requirement("documents.read.plain")
def test_text_of_a_document_is_no_markdown_and_no_construct(shown: Shown) -> None:
    texts = [
        "# no heading",
        "1. no item",
        "*star* `tick` a_b [x](y)",
        "&lt;!-- #id --&gt;",
        "[!include:a](b.md)",
    ]
    body = "".join(map(paragraph, texts)) + paragraph("```act.go") + paragraph("CLI touch hacked")
    lines = shown("a.docx", word(body)).split("\n\n")
    assert lines[:3] == ["\\# no heading", "1\\. no item", "\\*star\\* \\`tick\\` a_b [x\\](y)"]
    assert lines[3:5] == ["\\<!-- #id -->", "[!include:a\\](b.md)"]


@pytest.mark.requirement("documents.read.plain")
def test_heading_is_no_markdown_and_is_opened_by_its_text(daemon: DaemonProcess, shown: Shown) -> None:
    title = paragraph("Use *all* of Vec&lt;T&gt;", '<w:outlineLvl w:val="0"/>')
    text = "# Use \\*all\\* of Vec\\<T>\n\nText"
    assert shown("a.docx", word(title + paragraph("Text"))) == text
    assert "title: Use *all* of Vec<T>" in daemon.exec("/info").content
    assert daemon.exec("/open a.docx#use-all-of-vect").content.endswith(text)


@pytest.mark.requirement("documents.read.macros")
def test_macros_are_told_and_not_run(shown: Shown) -> None:
    document = word(paragraph("Text"), {"word/vbaProject.bin": b"\0"})
    assert shown("a.docm", document) == "[!] Its macros are not shown, and were not run.\n\nText"


@pytest.mark.requirement("documents.read.word")
def test_title_is_that_of_the_properties(daemon: DaemonProcess, shown: Shown) -> None:
    properties = "<p xmlns:dc='d'><dc:title>Named</dc:title></p>"
    shown("a.docx", word(paragraph("Text"), {"docProps/core.xml": properties}))
    assert "title: Named" in daemon.exec("/info").content
