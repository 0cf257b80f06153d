"""The parser of documentation pages: blocks, commands and patterns."""

from __future__ import annotations

import pytest

from tests.docs.blocks import Block, Exchange, blocks, exchanges, pattern, prose

PAGE = """\
# A page

<!-- file: a.txt -->
````text
```python
not a block of its own
```
````

- in a list
  <!-- own terminal -->
  ```console
  $ stringd
  ready
  ```
"""


def test_blocks_have_language_line_text_and_mark() -> None:
    assert list(blocks(PAGE)) == [
        Block(
            language="text",
            line=4,
            text="```python\nnot a block of its own\n```\n",
            kind="file",
            detail="a.txt",
        ),
        Block(language="console", line=12, text="$ stringd\nready\n", kind="own terminal"),
    ]


def test_unclosed_fence_is_an_error() -> None:
    with pytest.raises(ValueError, match="line 1 is never closed"):
        list(blocks("```python\nx = 1\n"))


def test_prose_is_the_text_outside_blocks() -> None:
    assert "not a block" not in prose(PAGE)
    assert "in a list" in prose(PAGE)


def test_commands_may_continue_and_own_their_output() -> None:
    assert list(exchanges("$ cat <<END\n> a\n>\n> END\na\n$ true\n")) == [
        Exchange(command="cat <<END\na\n\nEND", shown="a\n"),
        Exchange(command="true", shown=""),
    ]


def test_a_console_block_without_a_command_is_an_error() -> None:
    with pytest.raises(ValueError, match="begins with"):
        list(exchanges("hello\n"))


@pytest.mark.parametrize(
    ("shown", "output", "matches"),
    [
        ("a\n", "a\n", True),
        ("a\n", "a\nb\n", False),
        ("", "a\n", False),
        ("a\n...\n", "a\n", True),
        ("a\n...\nd\n", "a\nb\nc\nd\n", True),
        ("took ... s\n", "took 0.3 s\n", True),
        ("took ... s\n", "took 0.3\nor 4 s\n", False),
        ("[x]*\n", "[x]*\n", True),
    ],
)
def test_ellipsis_matches_varying_text(shown: str, output: str, matches: bool) -> None:
    assert bool(pattern(shown).fullmatch(output)) is matches
