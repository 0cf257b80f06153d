"""CommonMark with tables and frontmatter, whose links know where they stand."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, backtick, image, link
from markdown_it.token import Token
from mdit_py_plugins.front_matter import front_matter_plugin

from stringd.documents.syntax.inline_html import html_inline

FRONTMATTER = "---"
"""What a text with frontmatter begins with."""

Rule = Callable[[StateInline, bool], bool]


class _Parser(MarkdownIt):
    """A link's target is data here, not an address for a browser: it stays as its author wrote it."""

    def normalizeLink(self, url: str) -> str:  # noqa: N802
        return url

    def validateLink(self, url: str) -> bool:  # noqa: N802
        return True


def make_parser(*, frontmatter: bool = True) -> MarkdownIt:
    """Return the parser that serves rendering, listing, extraction and editing alike."""
    parser = _Parser("commonmark").enable("table")
    if frontmatter:
        parser.use(front_matter_plugin)
    parser.inline.ruler.at("link", _placed(link, "link_open"))
    parser.inline.ruler.at("image", _placed(image, "image"))
    parser.inline.ruler.at("backticks", _code_span)
    parser.inline.ruler.at("html_inline", html_inline)
    return parser


def _placed(rule: Rule, kind: str) -> Rule:
    """Make a rule note in its token from where to where in the inline text it reached."""

    def placed(state: StateInline, silent: bool) -> bool:
        start, count = state.pos, len(state.tokens)
        # Where no label can end, none is looked for.
        if state.html_terminator_last("]") < start or not rule(state, silent):
            return False
        if not silent:
            token = next(token for token in state.tokens[count:] if token.type == kind)
            label = start + (2 if kind == "image" else 1)
            label_end = state.md.helpers.parseLinkLabel(state, label - 1, kind == "link_open")
            token.meta = {"start": start, "label": label, "label_end": label_end, "end": state.pos}
            _shift(token.children or (), label)
        return True

    return placed


def _shift(in_alt_text: Iterable[Token], by: int) -> None:
    # An image's alternative text is parsed by itself, so its places count from its own start.
    for token in in_alt_text:
        token.meta = {edge: place + by for edge, place in token.meta.items()}
        _shift(token.children or (), by)


def _code_span(state: StateInline, silent: bool) -> bool:
    start, count = state.pos, len(state.tokens)
    found = backtick(state, silent)
    if found and not silent and state.tokens[count:] and state.tokens[-1].type == "code_inline":
        state.tokens[-1].meta = {"start": start, "end": state.pos}
    return found


def lines_in_code(inline: Token) -> set[int]:
    """Return the lines of the document that a code span of several lines reaches."""
    found: set[int] = set()
    position, number = 0, (inline.map or (0, 0))[0]
    for child in inline.children or ():
        if child.type == "code_inline" and child.meta:
            start, end = child.meta["start"], child.meta["end"]
            number += inline.content.count("\n", position, start)
            height = inline.content.count("\n", start, end)
            found.update(range(number, number + height + 1) if height else ())
            position, number = end, number + height
    return found
