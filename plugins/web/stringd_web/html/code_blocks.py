"""Extraction of code blocks and spans, so that conversion can't change them."""

from __future__ import annotations

import re
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from stringd_web.html.link_resolution import LinkTargets
from stringd_web.html.marks import BEGIN, LINK_END, MARK, Marks
from stringd_web.html.nodes import (
    ancestors,
    attribute,
    children,
    remove_nodes,
    replace_tag,
    text_of,
)
from stringd_web.html.page_source import PageSource, find_mentioned, find_named

_PREFORMATTED = ("pre", "listing", "xmp", "plaintext")
_INLINE = ("code", "kbd", "samp", "tt")
_LINE_NUMBER_CLASSES = "lineno", "linenum", "line-num", "gutter", "hljs-ln-n"
_COPY_CLASS = "copybtn"
_LINE_NUMBER_TAGS = {"td", "div", "pre", "span", "a"}
_BUTTONS = {"button", "clipboard-copy"}
_NOT_CODE = {
    **{it.encode(): f"[class*='{it}']" for it in _LINE_NUMBER_CLASSES},
    _COPY_CLASS.encode(): f".{_COPY_CLASS}",
}
_LINES = "br, div, li, p, tr"
_STRUCTURE = f"a[href], code, {_LINES}"
_HOLDS_CODE = re.compile(r"highlight|code|snippet", re.IGNORECASE)
_LANGUAGE = re.compile(r"(?:language|lang|highlight-source|highlight-text|highlight|src|brush)-([\w+#.-]+)")
_NO_LANGUAGE = {
    "default",
    "none",
    "text",
    "plain",
    "plaintext",
    "txt",
    "source",
    "rouge",
    "nohighlight",
    "notranslate",
}
_NAMES_OF_LANGUAGES = "data-lang", "data-language", "data-code-language"
_LANGUAGE_LIST = """
    bash c clojure cpp csharp css diff elisp elixir erlang go haskell html ini java javascript json
    julia kotlin latex lisp lua makefile markdown nix ocaml perl php powershell python r ruby rust
    scala shell sh sql swift toml typescript xml yaml zig
"""
_LANGUAGES = frozenset(_LANGUAGE_LIST.split())
_LANGUAGE_NAME = re.compile(r"[A-Za-z][\w+#.-]*")
_TICKS = re.compile("`+")
_BLANKS = re.compile(r"[ \t\r\n\f]+")
_MAX_LEVELS_UP = 6


def extract_code_blocks(
    tree: LexborHTMLParser, source: PageSource, targets: LinkTargets, marks: Marks
) -> None:
    """Replace the content of `<pre>` by marks, unchanged; list its links below."""
    blocks = find_named(tree, source, _PREFORMATTED)
    if blocks:
        remove_nodes(it for it in find_mentioned(tree, source, _NOT_CODE, _BUTTONS) if _is_not_code(it))
    for node in blocks:
        if not _is_in_preformatted(node):
            # Most blocks have none, and one search takes less time than one for each purpose.
            has_structure = node.css_first(_STRUCTURE) is not None
            if has_structure:
                _list_links(tree, node, targets, marks)
            block = node if node.tag == "pre" else replace_tag(tree, node, "pre")
            for it in _programs(tree, block) if has_structure else [block]:
                _replace_block(it, marks, has_structure=has_structure)


def _programs(tree: LexborHTMLParser, node: LexborNode) -> list[LexborNode]:
    """Split a block into one per program: a page may offer the same code in several languages."""
    blocks = [node]
    for code in _codes(node)[1:]:
        block = tree.create_node("pre")
        blocks[-1].insert_after(block, move=True)
        block.insert_child(code, move=True)
        blocks.append(block)
    return blocks


def _codes(node: LexborNode) -> list[LexborNode]:
    """Return the programs that make up a block; none if its `<code>` elements are lines of one."""
    codes = [it for it in node.css("code") if it.parent is not None and it.parent.mem_id == node.mem_id]
    if len(codes) < 2:
        return codes
    languages = [_named_language(it) for it in codes]
    texts = [it.text(deep=False) for it in children(node) if it.is_text_node] if all(languages) else ["?"]
    are_lines = len(set(languages)) == 1 and bool(texts)
    return [] if are_lines or any(it.strip() for it in texts) else codes


def _list_links(tree: LexborHTMLParser, node: LexborNode, targets: LinkTargets, marks: Marks) -> None:
    found = {(text_of(it), targets.resolve(it.attrs.get("href"))): None for it in node.css("a[href]")}
    listed = [f"{marks.link(label, target)}{label}{LINK_END}" for label, target in found if label and target]
    if listed:
        place = tree.create_node("p")
        place.insert_child(", ".join(listed))
        node.insert_after(place, move=True)


def _is_not_code(node: LexborNode) -> bool:
    """Whether a node is a line number or a copy button."""
    outer_nodes = list(islice(ancestors(node), _MAX_LEVELS_UP))
    if node.tag in _BUTTONS or _COPY_CLASS in attribute(node, "class"):
        return any(it.tag == "pre" or _HOLDS_CODE.search(attribute(it, "class")) for it in outer_nodes)
    if node.tag not in _LINE_NUMBER_TAGS or not node.text_lexbor().strip("0123456789 \t\n"):
        return node.tag in _LINE_NUMBER_TAGS
    return False


def _is_in_preformatted(node: LexborNode) -> bool:
    return any(it.tag in _PREFORMATTED for it in ancestors(node))


def _replace_block(node: LexborNode, marks: Marks, *, has_structure: bool) -> None:
    language = _language(node, node.css_first("code") if has_structure else None)
    if has_structure:
        _break_lines(node)
    text = _without_marks(node.text())
    node.inner_html = marks.block(fenced(text, language)) if text.strip() else ""
    if (code := node.parent) is not None and code.tag == "code":
        code.unwrap()


def fenced(text: str, language: str) -> list[str]:
    """Return code between fences longer than any in the code."""
    fence = "`" * max(3, _longest_tick_run(text) + 1)
    return [fence + language, *text.removesuffix("\n").split("\n"), fence]


def extract_code_spans(tree: LexborHTMLParser, source: PageSource, marks: Marks) -> None:
    """Replace inline code by marks; links in it stay links."""
    outer: list[LexborNode] = []
    for node in find_named(tree, source, _INLINE):
        parent = node.parent
        if parent is not None and parent.tag in _INLINE:
            node.unwrap()
        else:
            outer.append(node)
    for node in reversed(outer):
        text = node.text()
        if BEGIN in text:
            node.inner_html = "".join(_replace_piece(piece, marks) for piece in _pieces(text))
            node.unwrap()
        else:
            node.replace_with(_replace_piece(text, marks))


def code_span(text: str) -> str:
    """Return code between more backticks than any run in the code."""
    ticks = "`" * (_longest_tick_run(text) + 1 if "`" in text else 1)
    pad = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _pieces(text: str) -> list[str]:
    """Split text into marks and the text between them."""
    return re.split(f"({MARK.pattern.replace('(', '(?:')})", text)


def _replace_piece(piece: str, marks: Marks) -> str:
    if piece.isalnum():
        return marks.literal(f"`{piece}`")
    code = _BLANKS.sub(" ", piece).strip(" ")
    if not code or piece[0] == BEGIN:
        return piece
    before = " " if piece[0].isspace() else ""
    after = " " if piece[-1].isspace() else ""
    return f"{before}{marks.literal(code_span(code))}{after}"


def _without_marks(text: str) -> str:
    return MARK.sub("", text) if BEGIN in text else text


def _break_lines(node: LexborNode) -> None:
    """Insert line breaks where a browser would break lines."""
    for line in reversed(node.css(_LINES)):
        if line.tag == "br":
            line.replace_with("\n")
        elif line.next is not None and not line.text_lexbor().endswith("\n"):
            line.insert_child("\n")


def _longest_tick_run(text: str) -> int:
    return max(map(len, _TICKS.findall(text)), default=0)


def _language(node: LexborNode, code: LexborNode | None) -> str:
    outer = islice(ancestors(node), _MAX_LEVELS_UP)
    for it in (code, node, *outer):
        name = it is not None and _named_language(it)
        if name:
            return name
    return ""


def _named_language(node: LexborNode) -> str:
    attributes = node.attributes
    if not attributes:
        return ""
    names = [it for name in _NAMES_OF_LANGUAGES if (it := attributes.get(name))]
    classes = (attributes.get("class") or "").split()
    names += [found[1] for it in classes if (found := _LANGUAGE.fullmatch(it))]
    if node.tag in _PREFORMATTED or node.tag == "code" or any(map(_HOLDS_CODE.search, classes)):
        names += [it for it in classes if it.rstrip(";") in _LANGUAGES]
    known = (it.rstrip(";") for it in names)
    return next((it for it in known if _LANGUAGE_NAME.fullmatch(it) and it.lower() not in _NO_LANGUAGE), "")
