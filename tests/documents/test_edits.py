"""The edits of the editing commands, as functions from text to text."""

from __future__ import annotations

import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from stringd.documents.editing.edits import (
    Revision,
    append,
    overwrite,
    replace_all,
    replace_block,
    replace_lines,
)
from stringd.documents.editing.replacements import replace_occurrences
from stringd.documents.editing.spans import stored_block
from stringd.documents.syntax.parser import parse
from stringd.errors import Refusal

BOM = "\ufeff"
LINES = st.sampled_from(
    [
        *("text", "", "  ", "# A", "## B", "# A #", "Title", "===", "---", "```", "- item", "é\u2028ü"),
        *("<!-- #a -->", "<!-- /a -->", "<!-- #b -->", "<!-- /b -->", "[@x L](u)"),
    ]
)
NEWLINES = st.sampled_from(["\n", "\r\n"])
BODIES = st.lists(st.sampled_from(["new", "", "### deep", "more"]), min_size=1, max_size=4).map("\n".join)


@st.composite
def texts(draw: st.DrawFn) -> str:
    newline = draw(NEWLINES)
    text = newline.join(draw(st.lists(LINES, min_size=1, max_size=14)))
    return draw(st.sampled_from(["", BOM])) + text + draw(st.sampled_from(["", newline]))


@pytest.mark.parametrize(
    ("before", "body", "after"),
    [
        pytest.param("", "a", "a\n", id="new"),
        pytest.param("old", "a\nb", "a\nb\n", id="the-trimmed-newline-comes-back"),
        pytest.param("old\n", "\n\na", "\n\na\n", id="leading-blank-lines"),
        pytest.param("x\r\n", "a\nb", "a\r\nb\r\n", id="crlf-stays"),
        pytest.param("", "a\r\nb", "a\r\nb\r\n", id="crlf-comes"),
        pytest.param("x\r\n", "a\r\nb", "a\r\nb\r\n", id="crlf-both"),
        pytest.param("x\n", "a\r\nb", "a\nb\n", id="lf-stays"),
        pytest.param(f"{BOM}x\n", "a", f"{BOM}a\n", id="bom-stays"),
        pytest.param(f"{BOM}x\n", f"{BOM}a", f"{BOM}a\n", id="bom-is-not-doubled"),
        pytest.param("", f"{BOM}a", f"{BOM}a\n", id="bom-comes"),
    ],
)
def test_writing(before: str, body: str, after: str) -> None:
    assert overwrite(before, body).text == after


@pytest.mark.parametrize(
    ("before", "body", "after"),
    [
        pytest.param("a\n", "b", "a\nb\n", id="below"),
        pytest.param("a", "b", "a\nb\n", id="one-newline-between"),
        pytest.param("a\n\n", "b", "a\n\nb\n", id="blank-lines-stay"),
        pytest.param("a\n", "\nb", "a\n\nb\n", id="the-bodys-own-blank-line"),
        pytest.param("", "b", "b\n", id="empty"),
        pytest.param(BOM, "b", f"{BOM}b\n", id="empty-but-for-a-bom"),
        pytest.param("a\r\nb", "c\nd", "a\r\nb\r\nc\r\nd\r\n", id="crlf"),
        pytest.param("a\nb", "c\r\nd", "a\nb\nc\nd\n", id="lf"),
    ],
)
def test_appending(before: str, body: str, after: str) -> None:
    assert append(before, body).text == after


@pytest.mark.parametrize(
    ("before", "body", "after"),
    [
        pytest.param("a\nb\n", "c", "c\n", id="whole"),
        pytest.param("a\nb", "c", "c", id="a-last-line-without-end-stays-so"),
        pytest.param("", "c", "c\n", id="empty"),
        pytest.param(f"{BOM}a\r\n", "c\nd", f"{BOM}c\r\nd\r\n", id="bom-and-crlf"),
    ],
)
def test_edit_whole_text(before: str, body: str, after: str) -> None:
    assert replace_all(before, body).text == after


@pytest.mark.parametrize(
    ("first", "last", "body", "after", "lines"),
    [
        (1, 1, "x", "x\nb\nc", 1),
        (2, 3, "x\ny\nz", "a\nx\ny\nz", 3),
        (3, 3, "x", "a\nb\nx", 1),
        (2, 2, None, "a\nc", 0),
        (3, 3, None, "a\nb\n", 0),
        (1, 3, None, "", 0),
    ],
)
def test_replacing_lines(first: int, last: int, body: str | None, after: str, lines: int) -> None:
    revision = replace_lines("a\nb\nc", first, last, body)
    assert (revision.text, revision.lines) == (after, lines)


@pytest.mark.parametrize(
    ("text", "first", "last", "length"),
    [
        ("a\nb\n", 3, 3, "2 lines"),
        ("a\n", 0, 1, "1 line"),
        ("a\nb\n", 2, 1, "2 lines"),
        ("", 1, 1, "0 lines"),
    ],
)
def test_missing_lines_are_refused(text: str, first: int, last: int, length: str) -> None:
    with pytest.raises(Refusal) as refused:
        replace_lines(text, first, last, "x")
    assert refused.value.code == "LINE_OUT_OF_RANGE"
    assert refused.value.context[0] == f"the file has {length}"


@pytest.mark.parametrize(
    ("before", "block", "body", "after"),
    [
        pytest.param(
            "## Status\nold\n\n## Next\n", "status", "new", "## Status\nnew\n\n## Next\n", id="blank-below"
        ),
        pytest.param(
            "## Status\n\nold\n\n\n## Next\n",
            "status",
            "new",
            "## Status\n\nnew\n\n\n## Next\n",
            id="blank-around",
        ),
        pytest.param("## S\n\nold\n", "s", "\nnew", "## S\n\nnew\n", id="the-bodys-own-blank-line"),
        pytest.param("## S\n\n## T\n", "s", "new", "## S\nnew\n\n## T\n", id="empty-section"),
        pytest.param("## S", "s", "new", "## S\nnew", id="heading-without-end"),
        pytest.param("## S\nold\n### Sub\n", "s", "new", "## S\nnew\n", id="with-what-is-below"),
        pytest.param("## S\nold\n", "s", "## T\nnew", "## T\nnew\n", id="heading-too"),
        pytest.param("S\n---\nold\n", "s", "T\n---\nnew", "T\n---\nnew\n", id="heading-too-underlined"),
        pytest.param("## S\nold\n", "s", "### T\nnew", "## S\n### T\nnew\n", id="another-level-is-content"),
        pytest.param("## S {#x}\nold\n", "x", "new", "## S {#x}\nnew\n", id="explicit-id"),
        pytest.param(
            "<!-- #a -->\nold\n<!-- /a -->\n", "a", "n\nm", "<!-- #a -->\nn\nm\n<!-- /a -->\n", id="marked"
        ),
        pytest.param(
            "<!-- #a -->\n<!-- /a -->", "a", "new", "<!-- #a -->\nnew\n<!-- /a -->", id="marked-empty"
        ),
        pytest.param(
            "<!-- #a -->\n\nold\n\n<!-- /a -->\n",
            "a",
            "new",
            "<!-- #a -->\n\nnew\n\n<!-- /a -->\n",
            id="marked-blank-around",
        ),
        pytest.param(
            "<!-- #a -->\r\nold\r\n<!-- /a -->\r\n",
            "a",
            "n\nm",
            "<!-- #a -->\r\nn\r\nm\r\n<!-- /a -->\r\n",
            id="crlf",
        ),
        pytest.param(
            "<!-- #a -->\n## S\nold\n\n<!-- /a -->\nrest\n",
            "s",
            "new",
            "<!-- #a -->\n## S\nnew\n\n<!-- /a -->\nrest\n",
            id="a-section-leaves-the-block-around-it-closed",
        ),
        pytest.param(
            "## S\nold\n\n<!-- #b -->\n## T\nx\n<!-- /b -->\n",
            "s",
            "new",
            "## S\nnew\n\n<!-- #b -->\n## T\nx\n<!-- /b -->\n",
            id="a-section-leaves-the-block-below-it-open",
        ),
    ],
)
def test_replacing_blocks(before: str, block: str, body: str, after: str) -> None:
    assert replace_block(before, block, body).text == after


@pytest.mark.parametrize(
    ("before", "block", "body", "after"),
    [
        pytest.param("# A\nTitle\n===\n", "a", "new", "# A\nnew\n\nTitle\n===\n", id="title-below"),
        pytest.param("# A\nT\n---\n# B\n", "a", "- n", "# A\n- n\n# B\n", id="title-within"),
        pytest.param("# A\r\nT\r\n===\r\n", "a", "- n", "# A\r\n- n\r\n\r\nT\r\n===\r\n", id="crlf"),
        pytest.param("# A\n# B\nx\n", "a", "<p>n</p>", "# A\n<p>n</p>\n\n# B\nx\n", id="html"),
        pytest.param("text\n# A\nx\n", "a", "N\n===\nn", "text\n\nN\n===\nn\n", id="title-above"),
        pytest.param(
            "<!-- #a -->\n<!-- /a -->\n", "a", "<p>", "<!-- #a -->\n<p>\n<!-- /a -->\n", id="marker"
        ),
        pytest.param("t\n# A\nx\n", "a", "N\n=\nn\r", "t\n\nN\n=\nn\r\n", id="carriage-return"),
        pytest.param("# A\nx\n\nT\n===\n", "a", "new", "# A\nnew\n\nT\n===\n", id="not-a-second-one"),
    ],
)
def test_body_does_not_merge_with_surrounding_lines(before: str, block: str, body: str, after: str) -> None:
    assert replace_block(before, block, body) == Revision(text=after, lines=body.count("\n") + 1)


@pytest.mark.parametrize("body", ["```\nx", "~~~", "<pre>\nx", "ok\n\n```"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_body_that_would_absorb_following_lines_is_refused(body: str, newline: str) -> None:
    before = "# A\n<!-- #x -->\nold\n<!-- /x -->\n\n# B\n".replace("\n", newline)
    with pytest.raises(Refusal) as refused:
        replace_block(before, "x", body)
    assert refused.value.code == "INVALID_PAYLOAD"
    assert refused.value.message == "The text would swallow line 4: <!-- /x -->"


def test_open_fence_is_allowed_at_the_end() -> None:
    assert replace_block("# A\nold\n", "a", "```\nx").text == "# A\n```\nx\n"


def test_only_lf_ends_lines() -> None:
    assert replace_lines("a\rb\nc\n", 2, 2, "x") == Revision(text="a\rb\nx\n", lines=1)
    assert replace_lines("a\rb\r\nc\n", 1, 1, None).text == "c\n"
    with pytest.raises(Refusal) as refused:
        replace_lines("a\rb", 2, 2, "x")
    assert refused.value.context == ("the file has 1 line", "nearest: :L1")


def test_missing_block_is_refused() -> None:
    with pytest.raises(Refusal) as refused:
        replace_block("# One\n<!-- #two -->\n<!-- /two -->\n", "tow", "x")
    assert refused.value.code == "BLOCK_NOT_FOUND"
    assert "nearest: #two" in refused.value.context
    assert any("#one" in line and "#two" in line for line in refused.value.context)


@settings(deadline=None)
@given(texts(), BODIES, st.data())
def test_bytes_outside_the_block_are_unchanged(text: str, body: str, data: st.DataObject) -> None:
    parsed = parse(text)
    assume(parsed.blocks)
    block = parsed.blocks[data.draw(st.sampled_from(sorted(parsed.blocks)))]
    after = replace_block(text, block.id, body).text
    head, tail = text[: parsed.lines.start(block.inner)], text[parsed.lines.start(block.inner_last) :]
    assert after.startswith(head)
    assert after.endswith(tail)
    inside = after[len(head) : len(after) - len(tail)]
    assert body in inside.replace("\r\n", "\n")


@settings(deadline=None)
@given(texts(), st.data())
def test_writing_back_the_shown_block_changes_nothing(text: str, data: st.DataObject) -> None:
    parsed = parse(text)
    assume(parsed.blocks)
    block_id = data.draw(st.sampled_from(sorted(parsed.blocks)))
    start, end = stored_block(text, block_id)
    shown = text[start:end].removesuffix("\n").removesuffix("\r")
    assume(shown.strip())
    assert replace_block(text, block_id, shown).text == text


@settings(deadline=None)
@given(texts(), BODIES, st.data())
def test_bytes_outside_the_lines_are_unchanged(text: str, body: str, data: st.DataObject) -> None:
    assume(text.removeprefix(BOM))
    lines = parse(text).lines
    first = data.draw(st.integers(1, len(lines)))
    last = data.draw(st.integers(first, len(lines)))
    after = replace_lines(text, first, last, body).text
    assert after.startswith(text[: lines.start(first - 1)])
    assert after.endswith(text[lines.start(last) :])


@pytest.mark.parametrize(
    ("before", "body", "after", "lines"),
    [
        pytest.param("a b c\n", "b\n---\nx", "a x c\n", 1, id="inside-a-line"),
        pytest.param("a\nb\nc\n", "a\nb\n---\nx\ny\nz", "x\ny\nz\nc\n", 3, id="several-lines"),
        pytest.param("a\nb\nc\n", "b\n---", "a\nc\n", 0, id="whole-lines-go-with-their-end"),
        pytest.param("a\nb", "b\n---", "a\n", 0, id="the-last-line"),
        pytest.param("a b\n", " b\n---", "a\n", 0, id="a-word-goes"),
        pytest.param("a\r\nb\r\nc\r\n", "a\nb\n---\nx\ny", "x\r\ny\r\nc\r\n", 2, id="crlf"),
        pytest.param("a\nb\nc\n", "a\r\nb\n---\nx\r\ny", "x\ny\nc\n", 2, id="lf"),
        pytest.param("a\nb\r\nc\n", "b\nc\n---\nx", "a\nx\n", 1, id="mixed"),
        pytest.param(f"{BOM}a\nb\n", "a\n---", f"{BOM}b\n", 0, id="bom"),
        pytest.param("---\nt: 1\n", "t: 1\n---\nt: 2\n---", "---\nt: 2\n---\n", 2, id="new-with-a-separator"),
        pytest.param("a\n---\n\nb\n", "\n---\n\nb\n---\n\nc", "a\nc\n", 2, id="old-with-a-separator"),
        pytest.param("\\1 (a)\n", "(a)\n---\n\\g<0>", "\\1 \\g<0>\n", 1, id="nothing-is-a-pattern"),
    ],
)
def test_replace_old_by_new(before: str, body: str, after: str, lines: int) -> None:
    revision = replace_occurrences(before, body, "f", every=False)
    assert (revision.text, revision.lines) == (after, lines)


def test_several_matches_are_refused_or_all_replaced() -> None:
    with pytest.raises(Refusal) as refused:
        replace_occurrences("a\nb\na\n", "a\n---\nx", "f", every=False)
    assert refused.value.code == "CONFLICT"
    assert refused.value.context[0] == "at :L1, :L3"
    revision = replace_occurrences("a\nb\na\n", "a\n---\nx\ny", "f", every=True)
    assert (revision.text, revision.lines) == ("x\ny\nb\nx\ny\n", 4)


def test_ambiguous_body_is_refused() -> None:
    with pytest.raises(Refusal) as refused:
        replace_occurrences("a\n---\nb\n", "a\n---\nb\n---\nc", "f", every=True)
    assert refused.value.code == "CONFLICT"


@pytest.mark.parametrize(
    ("body", "code"), [("z\n---\nx", "NOT_FOUND"), ("a", "INVALID_PAYLOAD"), ("---\nx", "INVALID_PAYLOAD")]
)
def test_empty_or_missing_old_text_is_refused(body: str, code: str) -> None:
    with pytest.raises(Refusal) as refused:
        replace_occurrences("a\n", body, "f", every=False)
    assert refused.value.code == code


def test_a_long_old_text_is_replaced_at_once() -> None:
    old = "z\n" * 20_000
    began = time.process_time()
    assert replace_occurrences(f"a\n{old}b\n", f"{old}---\nq", "f", every=False).text == "a\nq\nb\n"
    assert time.process_time() - began < 1


@pytest.mark.parametrize("number", [21, 50_000])
def test_many_separators_are_refused(number: int) -> None:
    with pytest.raises(Refusal, match="More than one line ---"):
        replace_occurrences("a\n", "a\n" + "---\n" * number, "f", every=False)
