"""Presentations."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.documents_plugin.office_files import open_document, presentation, shape

Shown = Callable[..., str]
SLIDES = presentation(
    shape("Hello", holds="ctrTitle") + shape("A subtitle", holds="subTitle") + shape("7", holds="sldNum"),
    shape("Plan", holds="title") + shape("first", "second", holds="body") + shape("beside"),
)
FIRST = "## Slide 1: Hello\n\nA subtitle"
SECOND = "## Slide 2: Plan\n\n- first\n- second\n\nbeside"


@pytest.mark.requirement("documents.read.slides")
def test_slides_with_titles_and_lists(shown: Shown) -> None:
    assert shown("a.pptx", SLIDES) == f"{FIRST}\n\n{SECOND}"


@pytest.mark.requirement("documents.read.pages")
def test_slides_are_pages(shown: Shown, read: Shown) -> None:
    assert shown("a.pptx", SLIDES, "--pages 2") == SECOND
    assert shown("a.pptx", SLIDES, "--pages 1-9") == f"{FIRST}\n\n{SECOND}"
    assert read("a.pptx", SLIDES, "--pages 5").endswith("a.pptx has 2 slides.")


@pytest.mark.requirement("documents.read.slides")
def test_opendocument_slides(shown: Shown) -> None:
    frame = '<draw:frame presentation:class="{}"><draw:text-box>{}</draw:text-box></draw:frame>'
    title = frame.format("title", "<text:p>Plan</text:p>")
    listed = "<text:list><text:list-item><text:p>first</text:p></text:list-item></text:list>"
    notes = f"<presentation:notes>{frame.format('notes', '<text:p>Say hello</text:p>')}</presentation:notes>"
    page = f"<draw:page>{title}{frame.format('outline', listed)}{notes}</draw:page>"
    slides = open_document("presentation", page)
    assert shown("a.odp", slides) == "## Slide 1: Plan\n\n- first\n\n> Say hello"
