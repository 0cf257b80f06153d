"""The Markdown of agents as HTML: no markup of their own, no images, links that show where they lead."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from stringd_console.page_content.code_html import code_html
from stringd_console.page_content.shown_text import shown_text

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token

_OPENED = ("http://", "https://")
# Headings of the page itself are above those of its texts.
_SHALLOWEST, _DEEPEST = 3, 6


def markdown_html(text: str) -> Markup:
    """Return a text of an agent as HTML; it takes about a millisecond for each kilobyte."""
    return Markup(_parser().render(shown_text(text)))  # noqa: S704 - the parser escapes all text


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("code_block", _fence)
    parser.add_render_rule("heading_close", _heading_close)
    parser.add_render_rule("heading_open", _heading_open)
    parser.add_render_rule("image", _image)
    parser.add_render_rule("link_close", _link_close)
    parser.add_render_rule("link_open", _link_open)
    parser.add_render_rule("table_close", _table_close)
    parser.add_render_rule("table_open", _table_open)
    return parser


def _fence(_: RendererHTML, tokens: Sequence[Token], index: int, *__: Any) -> str:
    language = tokens[index].info.strip().partition(" ")[0]
    return code_html(tokens[index].content, language)


def _heading_open(_: RendererHTML, tokens: Sequence[Token], index: int, *__: Any) -> str:
    return f"<{_level(tokens[index])}>"


def _heading_close(_: RendererHTML, tokens: Sequence[Token], index: int, *__: Any) -> str:
    return f"</{_level(tokens[index])}>\n"


def _level(token: Token) -> str:
    return f"h{min(int(token.tag[1:]) + _SHALLOWEST - 1, _DEEPEST)}"


def _image(_: RendererHTML, tokens: Sequence[Token], index: int, *__: Any) -> str:
    """Return a picture's text and address: fetching it would tell its server who reads."""
    token = tokens[index]
    return str(
        Markup('<span class="picture">Picture: {} <code>{}</code></span>').format(
            token.content, _target(token, "src")
        )
    )


def _link_open(_: RendererHTML, tokens: Sequence[Token], index: int, *__: Any) -> str:
    target = _target(tokens[index], "href")
    if not target.lower().startswith(_OPENED):
        return '<span class="link">'
    return f'<a href="{escape(target)}" rel="noopener noreferrer nofollow" target="_blank" class="link">'


def _link_close(_: RendererHTML, tokens: Sequence[Token], index: int, *__: Any) -> str:
    """Close a link; its address follows unless that is its text."""
    opened = next(
        it for it in reversed(tokens[:index]) if it.type == "link_open" and it.level == tokens[index].level
    )
    target = _target(opened, "href")
    end = "</a>" if target.lower().startswith(_OPENED) else "</span>"
    if tokens[index - 1].content == target:
        return end
    return f'{end} <span class="address">({escape(target)})</span>'


def _target(token: Token, attribute: str) -> str:
    return shown_text(str(token.attrGet(attribute) or ""))


def _table_open(*_: Any) -> str:
    return '<div class="table-frame" tabindex="0" role="region" aria-label="Table"><table>\n'


def _table_close(*_: Any) -> str:
    return "</table></div>\n"
