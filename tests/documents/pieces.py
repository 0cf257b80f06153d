"""Hypothesis strategies for texts made of Markdown and document constructs."""

from __future__ import annotations

from hypothesis import strategies as st

from stringd.documents.syntax.lines import BOM

BLANKS = ("\n", "\n\n", "\r\n", "\r", "\t", " ", "    ", "\0", "\x0c", "\u2028", BOM)
BLOCKS = (
    "- ",
    "> ",
    "1. ",
    "| ",
    "|-|\n",
    "# ",
    "## A",
    "===\n",
    "---\n",
    "```",
    "~~~\n",
    "<div>\n",
    "<pre>",
)
INLINE = ("[", "]", "](", ")", "][", "]: ", "`", "``", "*", "_", "!", "\\", "&amp;", "<u v>", '"t"', "u://x")
OURS = (
    "{#x}",
    "<!-- #a -->\n",
    "<!-- /a -->\n",
    "<!--",
    "-->",
    "@id ",
    "[@id]: u\n",
    "[!nav:a](b)\n",
    "a: b\n",
)
ACTIONS = ("```act.a\n", "act.a.response", "GET u", "CLI x", "  q: string\n", "  body:\n", "-H 'A: b'")
LETTERS = ("a", "ä", "日本", "😀", "\ud800", "$x", "{x}", "https://x.example")
PIECES = (*BLANKS, *BLOCKS, *INLINE, *OURS, *ACTIONS, *LETTERS)
DOCUMENTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=40).map("".join)
