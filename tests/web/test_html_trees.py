"""Arbitrary HTML trees are read without exceptions, completely and deterministically."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stringd.api.outlines import Outline
from stringd_web.html.html_reader import read_html

_TAGS = """
    p div section article ul ol li dl dt dd table caption tr td th h1 h2 h3 blockquote pre code b em a span
    sup figure figcaption details summary kbd label form fieldset center font main
"""
_TAG = st.sampled_from(_TAGS.split())
_WORDS = st.integers(0, 999).map(lambda it: f"word{it}")
_ATTRIBUTES = st.sampled_from(
    ["", " id=a", " id=b", " href=x", " href='#a'", " hidden", " class=note", " colspan=2", " rowspan=3"]
)


def _element(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(
        lambda tag, attributes, parts: f"<{tag}{attributes}>{' '.join(parts)}</{tag}>",
        _TAG,
        _ATTRIBUTES,
        st.lists(inner, max_size=4),
    )


_TREES = st.lists(st.recursive(_WORDS, _element, max_leaves=25), max_size=4).map(" ".join)
_SCRAPS = st.sampled_from([f"<{tag}>" for tag in _TAGS.split()] + [f"</{tag}>" for tag in _TAGS.split()])
_SIGNS = st.sampled_from([*"\n *_`[]()#|\\<>&\"'-=~:1.", "&amp;", "<br>", "<img src=x alt=y>", "]("])


@pytest.mark.long
@pytest.mark.requirement("web.html.content")
@settings(max_examples=200, deadline=None)
@given(_TREES)
@example("<a href=x>word0 <pre>word1</pre></a>")
def test_no_word_is_lost(page: str) -> None:
    shown = read_html(page, "https://example.org/", full=True).text
    assert set(re.findall(r"word\d+", page)) <= set(re.findall(r"word\d+", shown))


@pytest.mark.requirement("web.html.same")
@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(_SCRAPS, _WORDS, _SIGNS, st.text(max_size=5)), max_size=40).map("".join))
def test_broken_tags_are_read_deterministically(page: str) -> None:
    document = read_html(page, "https://example.org/", full=False)
    assert document == read_html(page, "https://example.org/", full=False)
    assert document.outline is not None
    assert not _misplaced(document.text, document.outline)


def _misplaced(text: str, outline: Outline) -> list[object]:
    """Return what is not where the outline says."""
    lines = text.count("\n") + 1
    links = [it for it in outline.links if text[it.label_end : it.end] != f"]({it.target})"]
    spans = [it for it in outline.ids.values() if not 0 <= it.first < it.last <= lines]
    headings = [it for it in outline.headings if not 0 <= it.first < lines]
    return [*links, *spans, *headings]
