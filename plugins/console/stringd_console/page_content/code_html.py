"""Code with its syntax highlighted."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pygments.lexer import Lexer

# Lexers are regular expressions that hostile text can slow down.
_LONGEST = 20_000


def code_html(code: str, language: str = "") -> str:
    """Return code in a block; it is highlighted if its language is known and it is not too long."""
    lexer = _lexer(language) if language and len(code) <= _LONGEST else None
    inner = _highlighted(code, lexer) if lexer else escape(code)
    label = f' data-language="{escape(language)}"' if language else ""
    return f'<pre class="code" tabindex="0"{label}><code>{inner}</code></pre>\n'


def _lexer(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language)
    except ClassNotFound:
        return None


def _highlighted(code: str, lexer: Lexer) -> str:
    from pygments import highlight
    from pygments.formatters.html import HtmlFormatter

    return str(highlight(code, lexer, HtmlFormatter(nowrap=True, classprefix="c-")))
