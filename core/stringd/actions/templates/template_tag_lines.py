"""Remove lines of a Jinja2 template that hold only a block tag, so that table rows stay together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream

_END_OF_LINE = re.compile(r"[ \t]*(?:\n|\Z)")


class TrimBlockLines(Extension):
    """Removes the whitespace and the newline around block tags on lines of their own."""

    def filter_stream(self, stream: TokenStream) -> Iterable[Token]:
        """Return the tokens of a template without these lines."""
        return _without_lines(list(stream))


def _without_lines(tokens: list[Token]) -> Iterator[Token]:
    texts = [token.value if token.type == "data" else None for token in tokens]
    begins_line = {0}
    begin = -1
    for number, token in enumerate(tokens):
        if token.type == "block_begin":
            begin = number
        elif token.type == "block_end":
            _take_line(texts, begin, number, begins_line)
    for token, text in zip(tokens, texts, strict=True):
        yield token if text is None else Token(token.lineno, "data", text)


def _take_line(texts: list[str | None], begin: int, end: int, begins_line: set[int]) -> None:
    before = texts[begin - 1] if begin else ""
    after = texts[end + 1] if end + 1 < len(texts) else ""
    if before is None or after is None:
        return
    lines, newline, indent = before.rpartition("\n")
    is_first = bool(newline) or begin == 0 or begin - 1 in begins_line
    rest = _END_OF_LINE.match(after)
    if is_first and not indent.strip(" \t") and rest and (rest[0].endswith("\n") or end + 2 >= len(texts)):
        if begin:
            texts[begin - 1] = lines + newline
        if end + 1 < len(texts):
            texts[end + 1] = after[rest.end() :]
            begins_line.add(end + 1)
