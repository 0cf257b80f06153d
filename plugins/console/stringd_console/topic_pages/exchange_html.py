"""Exchanges as HTML: the command, and the reply by its kind, cut where it is long."""

from __future__ import annotations

import re
from functools import lru_cache

from markupsafe import Markup

from stringd.plugin import Edit, Kind, Reply
from stringd.plugin.text import compare_lines, limited
from stringd_console.console_page import Item
from stringd_console.page_content.html_templates import PageTemplates
from stringd_console.page_content.markdown_html import markdown_html
from stringd_console.topic_pages.exchange import Exchange

TEMPLATES = PageTemplates("stringd_console")
_LONGEST_COMMAND = 1_000
_LONGEST_CONTENT = 4_000
_LONGEST_DIFF = 8_000
_ROW = re.compile(r" *\d+ (?P<sign>[+-]?)│")


def exchange_item(exchange: Exchange, own: bool) -> Item:
    """Return an exchange for the list; those that have ended are rendered once."""
    reply = exchange.reply
    return _running_item(exchange, own) if reply is None else _ended_item(exchange, reply, exchange.text, own)


def whole_html(exchange: Exchange, *, plain: bool) -> Markup:
    """Return all that is kept of an exchange, with Markdown as it is if `plain`."""
    reply = exchange.reply
    return TEMPLATES.macro("exchange.html", "whole")(
        command=exchange.text if len(exchange.text) > _LONGEST_COMMAND else "",
        content="" if reply is None else _content_html(reply, len(reply.content or "") + 1, plain=plain),
    )


def _running_item(exchange: Exchange, own: bool) -> Item:
    html = TEMPLATES.macro("exchange.html", "running")(
        exchange, command=limited(exchange.shown, _LONGEST_COMMAND), own=own
    )
    return Item(key=str(exchange.number), html=html)


@lru_cache(maxsize=512)
def _ended_item(exchange: Exchange, reply: Reply, text: str, own: bool) -> Item:
    content = reply.content or ""
    html = TEMPLATES.macro("exchange.html", "ended")(
        exchange,
        command=limited(text, _LONGEST_COMMAND),
        own=own,
        reply=reply,
        failed=reply.code is not None,
        content=_content_html(reply, _LONGEST_CONTENT, plain=False),
        rows=_diff_rows(reply.edit) if reply.edit else (),
        hidden=max(0, len(content) - _LONGEST_CONTENT) + max(0, len(text) - _LONGEST_COMMAND),
        is_markdown=reply.kind is Kind.PAGE and bool(content),
    )
    return Item(key=str(exchange.number), html=html)


def _content_html(reply: Reply, most: int, *, plain: bool) -> Markup:
    if not reply.content:
        return Markup()
    if reply.kind is Kind.PAGE and not plain:
        return Markup('<div class="markdown">{}</div>').format(markdown_html(reply.content[:most]))
    return TEMPLATES.macro("exchange.html", "output")(limited(reply.content, most))


def _diff_rows(edit: Edit) -> tuple[tuple[str, str], ...]:
    """Return the rows of a difference, each with its sign: added, removed or empty."""
    rows = compare_lines(edit.before, edit.after, min(edit.longest, _LONGEST_DIFF)).rows.split("\n")
    signs = ((_ROW.match(it), it) for it in rows)
    return tuple(
        ({"+": "added", "-": "removed"}.get(found["sign"] if found else "", ""), it) for found, it in signs
    )
