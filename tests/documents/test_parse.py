"""Parsing of documents: frontmatter, directives, definitions, fences."""

from __future__ import annotations

import pytest

from stringd.documents.syntax.parser import parse


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\nname: a\nversion: 1.10\non: yes\n---\n", {"name": "a", "version": "1.10", "on": "yes"}),
        ("---\r\nname: a\r\n---\r\n", {"name": "a"}),
        ("\ufeff---\nname: a\n---\n", {"name": "a"}),
        ("---\ntags: [a, b]\nrequires:\n  - K\n---\n", {"tags": ["a", "b"], "requires": ["K"]}),
        ("---\nd: |\n  one\n  two\n---\n", {"d": "one\ntwo\n"}),
        ('---\nd: Use "it", then → go\n---\n', {"d": 'Use "it", then → go'}),
        ("---\nempty:\n---\n", {"empty": ""}),
        ("---\n2024-01-01: 1\n---\n", {"2024-01-01": "1"}),
        ("---\n---\n", {}),
        ("text\n---\na: b\n---\n", {}),
        ("\n---\na: b\n---\n", {}),
        ("no\n", {}),
    ],
)
def test_frontmatter(text: str, expected: dict[str, object]) -> None:
    parsed = parse(text)
    assert (parsed.frontmatter, parsed.diagnostics) == (expected, ())


@pytest.mark.parametrize(
    ("front", "line", "reason"),
    [
        ("a: [", 2, "expected the node content, but found '<stream end>'"),
        ("a: b\n\nc: d: e\nf: g", 4, "mapping values are not allowed here"),
        ("a: 1\nb: 2\n text\n  c: d", 5, "mapping values are not allowed here"),
        ("# remark\na: *b", 3, "found undefined alias 'b'"),
        ("a: b\r\nc: \x01", 3, "special characters are not allowed"),
        ("a: \u2028\n\u2028\nb: c: d", 4, "mapping values are not allowed here"),
        ("a: " + "[" * 1_000, 2, "it is nested too deeply"),
    ],
)
def test_broken_frontmatter_is_a_one_line_warning(front: str, line: int, reason: str) -> None:
    parsed = parse(f"---\n{front}\n---\n# A\n")
    assert [(it.line, it.message) for it in parsed.diagnostics] == [
        (line, f"frontmatter can't be read: {reason}")
    ]
    assert (parsed.frontmatter, parsed.title) == ({}, "A")
    assert "#a" not in parsed.lines.slice(0, parsed.body)
    assert parsed.body == front.count("\n") + 3


@pytest.mark.parametrize(
    "text",
    [
        "---\nProse, and *nothing* else.\n---\n# A\n",
        "---\n# Only a heading\n---\n",
        "---\n- a\n- b\n---\n",
        "---\n[a]: b\n\n[a]\n---\n",
        "---\nSee [\n---\n",
        "---\n!!python/object:os.system x\n---\n",
        '---\n\nText, more: and\n\n"a": b\n\n- x: [\n\n---\n',
        "--- title: a\nb: c\n---\n",
        "---\nNever closed: really\n",
    ],
)
def test_text_between_thematic_breaks_is_text(text: str) -> None:
    parsed = parse(text)
    assert (parsed.frontmatter, parsed.body, parsed.diagnostics) == ({}, 0, ())
    assert all(first >= 1 for first, _ in parsed.hidden)


@pytest.mark.parametrize(
    "front", ["a: !!timestamp x", "a: !!bool x", "a: !!int x", "a: !!python/name:os.system x"]
)
def test_yaml_tags_are_ignored(front: str) -> None:
    assert set(parse(f"---\n{front}\n---\n").frontmatter.values()) <= {"x"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[!nav:main](./nav/main.md)\n", [("nav", "main", "./nav/main.md", 0)]),
        ("x\n\n[!include:notes]()\n", [("include", "notes", "", 2)]),
        (
            "[!include:a](b.md#c)\n[!include:d](<e f.md>)\n",
            [("include", "a", "b.md#c", 0), ("include", "d", "e f.md", 1)],
        ),
        ("text\n[!requirements](./r.md)\ntext\n", [("requirements", "", "./r.md", 1)]),
        ("  [!nav:a](b)  \r\n", [("nav", "a", "b", 0)]),
        ("[!unknown:a](b)\n", []),
        ("[!nav](b)\n", []),
        ("[!requirements:x](b)\n", []),
        ("see [!nav:a](b)\n", []),
        ("`[!nav:a](b)`\n", []),
        ("```\n[!nav:a](b)\n```\n", []),
        ("    [!nav:a](b)\n", []),
        ("- [!nav:a](b)\n", []),
        ("> [!nav:a](b)\n", []),
        ("# [!nav:a](b)\n", []),
        ("`` x\n[!nav:a](b)\ny ``\n", []),
        ("\\[!nav:a](b)\n", []),
    ],
)
def test_directives(text: str, expected: list[tuple[str, str, str, int]]) -> None:
    assert [(it.kind, it.name, it.target, it.line) for it in parse(text).directives] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a]: /x\n", [("a", "/x", 0, 1)]),
        ('x\n\n[A b]: </x y>\n  "title"\n', [("A b", "/x y", 2, 4)]),
        ("[@id]: https://x.example\r\n[b]: /y\r\n", [("@id", "https://x.example", 0, 1), ("b", "/y", 1, 2)]),
        ("> [a]: /x\n", [("a", "/x", 0, 1)]),
        ("```\n[a]: /x\n```\n", []),
        ("text\n[a]: /x\n", []),
        ("[a] : /x\n", []),
    ],
)
def test_definitions(text: str, expected: list[tuple[str, str, int, int]]) -> None:
    assert [(it.label, it.target, it.first, it.last) for it in parse(text).definitions] == expected


def test_duplicate_definition_is_a_hidden_warning() -> None:
    parsed = parse("[a]: /x\n[A]: /y\n")
    assert [(it.line, it.message) for it in parsed.diagnostics] == [(2, "[A] is defined already")]
    assert parsed.hidden == ((0, 1), (1, 2))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```act.a\nGET x\n```\n", [("a", None, "GET x\n", 0, 3)]),
        ("~~~act.a.response\nx\n~~~\n", [("a", "response", "x\n", 0, 3)]),
        ("````act.a.error\n```\n````\n", [("a", "error", "```\n", 0, 3)]),
        ("```act.a\r\nGET x\r\n```\r\n", [("a", None, "GET x\n", 0, 3)]),
        ("```act.a\nGET x\n", [("a", None, "GET x\n", 0, 2)]),
        ("```` text\n```act.a\nGET x\n```\n````\n", []),
        ("- ```act.a\n  GET x\n  ```\n", []),
        ("    ```act.a\n", []),
        ("```act.a extra\n```\n", []),
    ],
)
def test_fences(text: str, expected: list[tuple[str, str | None, str, int, int]]) -> None:
    assert [(it.id, it.role, it.text, it.first, it.last) for it in parse(text).fences] == expected
