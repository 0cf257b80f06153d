"""Formulas: as TeX if the page has it, else linearized."""

from __future__ import annotations

from collections.abc import Sequence

from selectolax.lexbor import LexborHTMLParser, LexborNode

from stringd_web.html.marks import Marks
from stringd_web.html.nodes import attribute, children, remove_nodes, text_of
from stringd_web.html.page_source import PageSource

_RENDERED = (".MathJax", ".MathJax_Display", ".MathJax_Preview", ".MathJax_SVG", ".MathJax_CHTML")
_SCRIPTS = "script[type^='math/tex']"
_WRAPPERS = (".katex-display", ".katex", "mjx-container", ".mwe-math-element", "math")
# A wrapper contains a formula only if it contains one of these.
_FORMULAS = ("math", "annotation")
_SCRIPT = b"math/tex"
_TEX = ", ".join(f"annotation[encoding='{it}']" for it in ("application/x-tex", "application/x-latex", "TeX"))
_JOINED = {"msup": "^", "msub": "_", "mfrac": "/", "munder": "_", "mover": "^"}


def extract_formulas(tree: LexborHTMLParser, source: PageSource, marks: Marks) -> None:
    """Replace formulas by marks."""
    if not source.has(*_FORMULAS) and not source.mentions(_SCRIPT):
        return
    scripts = tree.css(_SCRIPTS)
    if scripts:
        remove_nodes(tree.css(_outermost(_RENDERED)))
    for script in scripts:
        display = "display" in attribute(script, "type")
        script.replace_with(marks.literal(_between_dollars(script.text_lexbor(), display=display)))
    for node in tree.css(_outermost(_WRAPPERS)):
        text = _formula(node)
        if text:
            node.replace_with(marks.literal(text))


def _outermost(selectors: Sequence[str]) -> str:
    # A list within :not, since lexbor does not support :is() before a descendant combinator there.
    return f":is({', '.join(selectors)}):not({', '.join(f'{it} *' for it in selectors)})"


def _formula(node: LexborNode) -> str:
    math = node if node.tag == "math" else node.css_first("math")
    annotation = node.css_first(_TEX)
    tex = annotation.text_lexbor() if annotation else attribute(math, "alttext") if math else ""
    if tex.strip():
        return _between_dollars(tex, display=_is_display(node, math))
    return _linear(math) if math else ""


def _is_display(node: LexborNode, math: LexborNode | None) -> bool:
    is_wrapped = "katex-display" in attribute(node, "class") or attribute(node, "display") == "true"
    return is_wrapped or (math is not None and attribute(math, "display") == "block")


def _between_dollars(tex: str, *, display: bool) -> str:
    line = " ".join(tex.split())
    return f"$${line}$$" if display else f"${line}$"


def _linear(node: LexborNode, depth: int = 0) -> str:
    """Return a formula on one line, with parentheses for grouping."""
    if node.is_text_node or depth > 50:
        return text_of(node)
    if node.tag in {"annotation", "annotation-xml"}:
        return ""
    parts = [part for it in children(node) if (part := _linear(it, depth + 1))]
    if node.tag == "msqrt":
        return f"√({' '.join(parts)})"
    if node.tag in _JOINED and len(parts) > 1:
        return _JOINED[node.tag].join(part if len(part) == 1 else f"({part})" for part in parts)
    if node.tag == "msubsup" and len(parts) == 3:
        return f"{parts[0]}_({parts[1]})^({parts[2]})"
    return " ".join(parts)
