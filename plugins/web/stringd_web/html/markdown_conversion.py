"""Conversion of prepared HTML to Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from html_to_markdown import ConversionOptions
from html_to_markdown.api import convert
from selectolax.lexbor import LexborHTMLParser

from stringd.plugin.workers import report_parts
from stringd_web.html.markdown_escaping import escape_markdown
from stringd_web.html.marks import BEGIN, DEFINITION, END
from stringd_web.html.page_source import PageSource, find_named

# Options that are read from JSON hold the converter's own values, which it need not look up for each page.
_OPTIONS = ConversionOptions.from_json(
    """
    {
        "autolinks": false,
        "br_in_tables": true,
        "bullets": "-",
        "compact_tables": true,
        "extract_metadata": false,
        "inline_data_media": "alt_text_only",
        "preprocessing": {"enabled": false},
        "sub_symbol": "~",
        "sup_symbol": "^",
        "tier_strategy": "tier2"
    }
    """
)
_BLANKS = re.compile(r"\n[ \t\n]++")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
# The name of a tag, and where the converter needs any of its attributes, those, too.
_ANY_TAG = re.compile(r"<((?:t[dh]|ol) [^>]*|/?[a-z][^ >]*)[^>]*>")
_NEEDED = re.compile(' (?:colspan|rowspan|start)="[^"]*"')
_MAX_PIECE = 200_000
_TAG = re.compile(r"<(/?)(?:(div|body)\b|(br|hr|wbr|input|col)\b|(h[1-6]|p|ul|ol|table|blockquote)\b|[a-z])")
_EMPHASIS = re.compile(r"<(b|strong|i|em|del|s|strike)>([^<]+)</\1>")
_PUNCTUATION_MARK = rf"[^\w\s<>&;{BEGIN}{END}]"
_PUNCTUATION = re.compile(rf"{_PUNCTUATION_MARK}*+")
_FOOTNOTE_LINK = re.compile(rf"<sup>((?:{BEGIN}s\d+{END})*{BEGIN}l[^<]*)</sup>")
_UNWRAPPED = (
    *("a", "span", "font", "button", "label", "abbr", "acronym", "time", "data", "bdi", "bdo", "wbr", "nobr"),
    *("big", "small", "u", "ins", "slot", "output", "map"),
)
_BLOCKS = (
    "pre dl dt dd section article header footer main aside nav form figure figcaption center address hgroup "
    "search dialog object noscript canvas"
)
_DEFINITION_BEGIN, _DEFINITION_END = f"<ul><li>{DEFINITION}", "</li></ul>"
_EMPTY_DEFINITION = re.compile(rf"{_DEFINITION_BEGIN}\s*{_DEFINITION_END}")
_REPLACEMENTS = {
    **{f"{end}{name}": "" for name in _UNWRAPPED for end in ("", "/")},
    **{f"{end}{name}": f"<{end}div>" for name in _BLOCKS.split() for end in ("", "/")},
    "pre": "<p>",
    "/pre": "</p>",
    "dd": _DEFINITION_BEGIN,
    "/dd": _DEFINITION_END,
}


class NestedTooDeep(Exception):
    """The HTML is nested too deeply for the converter."""


def to_markdown(tree: LexborHTMLParser, source: PageSource) -> str:
    """Convert a page to Markdown, keeping marks; raise `NestedTooDeep` if it is."""
    # The parser does so several times as fast as it writes the tags, which are then dropped from its text.
    for node in find_named(tree, source, _UNWRAPPED):
        node.unwrap(delete_empty=True)
    html = tree.body.html if tree.body is not None else None
    pieces = list(_pieces(escape_markdown(_simplified(html or ""))))
    converted = []
    for number, piece in enumerate(pieces):
        report_parts(number, len(pieces))
        converted.append(_convert_piece(piece))
    return "\n\n".join(filter(None, converted))


def _convert_piece(html: str) -> str:
    result = convert(html, _OPTIONS)
    if result.warnings:
        raise NestedTooDeep
    return (result.content or "").strip("\n ")


def _pieces(html: str) -> Iterator[str]:
    """Split a long page between blocks, to save memory and let other threads run."""
    begin = depth = 0
    for tag in _TAG.finditer(html) if len(html) > _MAX_PIECE else ():
        ends, transparent, void, block = tag.groups()
        if depth == 0 and not ends and (block or transparent) and tag.start() - begin > _MAX_PIECE:
            yield html[begin : tag.start()]
            begin = tag.start()
        if not transparent and not void:
            depth += -1 if ends else 1
    yield html[begin:]


def _simplified(html: str) -> str:
    """Reduce HTML to the elements that Markdown has, which speeds up conversion."""
    html = _COMMENT.sub("", html) if "<!--" in html else html
    # Several times as fast as a substitution by a function.
    pieces = _ANY_TAG.split(html)
    pieces[1::2] = map(_Tags(_REPLACEMENTS).__getitem__, pieces[1::2])
    html = _BLANKS.sub(" ", "".join(pieces)).replace("\n", " ")
    html = _FOOTNOTE_LINK.sub(r"\1", html)
    return _EMPHASIS.sub(_trim_emphasis, _EMPTY_DEFINITION.sub("", html))


class _Tags(dict[str, str]):
    """What replaces each tag: itself, with the attributes that the converter needs; others may hide it."""

    def __missing__(self, tag: str) -> str:
        name = tag.partition(" ")[0]
        self[tag] = replacement = f"<{name}{''.join(_NEEDED.findall(tag))}>"
        return replacement


def _trim_emphasis(emphasis: re.Match[str]) -> str:
    """Move punctuation at the edges out of emphasis where a letter is adjacent.

    There, Markdown would not recognize the delimiters.
    """
    name, text, html = emphasis[1], emphasis[2], emphasis.string
    before, after = html[emphasis.start() - 1], html[emphasis.end() : emphasis.end() + 1]
    if not (before.isalnum() or after.isalnum()):
        return emphasis[0]
    head, inner, tail = _split_punctuation(text)
    if not ((head and before.isalnum()) or (tail and after.isalnum())):
        return emphasis[0]
    return f"{head}<{name}>{inner}</{name}>{tail}" if inner else text


def _split_punctuation(text: str) -> tuple[str, str, str]:
    """Split a text into leading punctuation, inner text and trailing punctuation."""
    begin = _punctuation_length(text)
    end = len(text) - _punctuation_length(text[begin:][::-1])
    return text[:begin], text[begin:end], text[end:]


def _punctuation_length(text: str) -> int:
    found = _PUNCTUATION.match(text)
    return found.end() if found else 0
