"""Rendering of documents."""

from __future__ import annotations

import pytest

from stringd.documents.syntax.document_text import render
from stringd.documents.syntax.parser import parse
from stringd.documents.syntax.shortcuts import find_shortcuts


def shown(text: str) -> str:
    parsed = parse(text)
    return render(parsed, find_shortcuts(parsed))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\ntitle: x\n---\n\n# A\n", "# A\n"),
        ("---\ntitle: x\n---\n# A", "# A"),
        ("---\nbroken: [\n---\n# A\n", "# A\n"),
        ("<!-- #a -->\nx\n<!-- /a -->\n", "x\n"),
        ("x\n\n<!-- #a -->\n\ny\n\n<!-- /a -->\n\nz\n", "x\n\ny\n\nz\n"),
        ("x\n\n<!-- comment -->\n\ny\n", "x\n\n<!-- comment -->\n\ny\n"),
        ("[!nav:a](b)\n\nx\n", "x\n"),
        ("x\n[!requirements](b)\ny\n", "x\ny\n"),
        ("x\n\n[!other:a](b)\n", "x\n\n[!other:a](b)\n"),
        ("x\n\n[a]: b\n", "x\n"),
        ("x\n\n[a]: b\n\ny\n", "x\n\ny\n"),
        ("x\n\n```act.a\nGET u\n```\n\ny\n", "x\n\ny\n"),
        ("x\r\n\r\n```act.a\r\nGET u\r\n```\r\n\r\ny\r\n", "x\r\n\r\ny\r\n"),
        ("x\n\n```act.a\nGET u\n```\n\n```act.a.response\ny\n```\n", "x\n"),
        ("```act.a\nGET u\n```\n", ""),
        ("---\nJust *prose*.\n---\n# A\n", "---\nJust *prose*.\n---\n# A\n"),
        ("- [@a]: b\n  text\n- x\n", "- text\n- x\n"),
        ("1. [a]: b\n   'title'\n\n   x\n", "1. x\n"),
        ("Go:\n- [a]: b\n- x\n", "Go:\n- x\n"),
        ("- [a]: b\n  [c]: d\n  - x\n", "-   - x\n"),
        ("- [a]: b\nlazy\n", "lazy\n"),
        ("- [a]: b\n      code\n", "- code\n"),
        ("- [a]: b\n\n      code\n", "-     code\n"),
        ("> [a]: b\n> x\n", "> x\n"),
        ("> - [a]: b\n>   x\n", "> - x\n"),
        ("# A {#x}\n", "# A\n"),
        ("# A {#x} ##\n", "# A ##\n"),
        ("A\nB {#x}\n===\n", "A\nB\n===\n"),
        ("# A {#x} {#y}\n", "# A {#x}\n"),
        ("> # A {#x}\n", "> # A {#x}\n"),
        ("\ufeff# A\n", "# A\n"),
        ("", ""),
    ],
)
def test_runtime_markup_is_hidden(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "$E = mc^2$ and $$\\int_{a}^{b} P_{kw}$$\n",
        "costs $5, $#,##0 and $B$6, {x}, {{y}}, <z>, $NAME\n",
        "| a | b |\n|:--|--:|\n| `x|y` | {z} |\n",
        "```python\nprint(f'{n}')\n[a](https://x.example)\n<!-- #a -->\n[!nav:a](b)\n[c]: d\n```\n",
        "    [a](https://x.example)\n",
        "a  \nb\\\nc\n\n\n\n\nd   \n\n",
        "* * *\n- a\n\n\n- b\n\n1) c\n",
        "<div>\n\n*x*\n\n</div>\n",
        "ä\r\nb\rc\n",
        "x\0y\n",
        "\n\n\nx",
        "&amp; \\* &copy; ~~x~~ - [ ] todo\n",
        "```act\nno action\n```\n",
        "Use `/act.x --q 1` and `@main.rows`.\n",
    ],
)
def test_everything_else_is_unchanged(text: str) -> None:
    assert shown(text) == text


def test_a_part_is_rendered_by_itself() -> None:
    text = "# A\n\n[a](http://a.example)\n\n<!-- #b -->\n\n[b](http://b.example)\n\n<!-- /b -->\n\nend\n"
    parsed = parse(text)
    block = parsed.blocks["b"]
    assert render(parsed, find_shortcuts(parsed), block.inner, block.inner_last).strip() == "[b][@b]"
