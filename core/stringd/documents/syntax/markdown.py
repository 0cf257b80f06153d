"""The CommonMark parser, with tables and frontmatter, that records the positions of links."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, backtick, image, link
from markdown_it.token import Token
from mdit_py_plugins.front_matter import front_matter_plugin

from stringd.documents.syntax.inline_html import html_inline

FRONTMATTER = "---"
"""The beginning of a text with frontmatter."""

Rule = Callable[[StateInline, bool], bool]


class _Parser(MarkdownIt):
    """The parser, with link targets left exactly as the author wrote them."""

    def normalizeLink(self, url: str) -> str:  # noqa: N802
        return url

    def validateLink(self, url: str) -> bool:  # noqa: N802
        return True


def make_parser(*, frontmatter: bool = True) -> MarkdownIt:
    """Return a parser of documents, with or without frontmatter."""
    parser = _Parser("commonmark").enable("table")
    if frontmatter:
        parser.use(front_matter_plugin)
    parser.inline.ruler.at("link", _with_positions(link, "link_open"))
    parser.inline.ruler.at("image", _with_positions(image, "image"))
    parser.inline.ruler.at("backticks", _code_span)
    parser.inline.ruler.at("html_inline", html_inline)
    return parser


def _with_positions(rule: Rule, kind: str) -> Rule:
    """Wrap a rule so that its token records where in the inline text it begins and ends."""

    def rule_with_positions(state: StateInline, silent: bool) -> bool:
        start, count = state.pos, len(state.tokens)
        # Skip the search for a label that can't end.
        if state.html_terminator_last("]") < start or not rule(state, silent):
            return False
        if not silent:
            token = next(token for token in state.tokens[count:] if token.type == kind)
            label = start + (2 if kind == "image" else 1)
            label_end = state.md.helpers.parseLinkLabel(state, label - 1, kind == "link_open")
            token.meta = {"start": start, "label": label, "label_end": label_end, "end": state.pos}
            _shift(token.children or (), label)
        return True

    return rule_with_positions


def _shift(in_alt_text: Iterable[Token], by: int) -> None:
    # The alternative text of an image is parsed separately, so its positions count from its own start.
    for token in in_alt_text:
        token.meta = {edge: position + by for edge, position in token.meta.items()}
        _shift(token.children or (), by)


def _code_span(state: StateInline, silent: bool) -> bool:
    start, count = state.pos, len(state.tokens)
    found = backtick(state, silent)
    if found and not silent and state.tokens[count:] and state.tokens[-1].type == "code_inline":
        state.tokens[-1].meta = {"start": start, "end": state.pos}
    return found


def lines_in_code(inline: Token) -> set[int]:
    """Return the lines of the document that belong to code spans of several lines."""
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
