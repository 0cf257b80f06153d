"""Form controls that no form of the page submits: what is left of them in the text."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from stringd_web.html.form_labels import one_line
from stringd_web.html.nodes import BLOCKS, attribute, remove_nodes, text_of
from stringd_web.html.page_source import PageSource, find_named

_WIDGETS = ("input", "select", "textarea", "button", "datalist", "progress", "meter")
_IDLE_CAPTION = re.compile(
    r"(?:cop(?:y|ied)|close|menu|toggle|share|expand|collapse|[×x])\b|[×✕]", re.IGNORECASE
)
_NOT_TEXT = "hidden password checkbox radio button submit reset image file range color"
_FIELDS = "input{}, textarea:not([readonly])".format(
    "".join(f":not([type='{it}' i])" for it in _NOT_TEXT.split())
)
_FIELD_NAMES = "aria-label", "placeholder", "title"


def drop_widgets(tree: LexborHTMLParser, source: PageSource) -> None:
    """Drop form controls and idle buttons; check boxes of lists become `[x]`."""
    if not find_named(tree, source, _WIDGETS):
        return
    for box in tree.css(
        "li > input[type=checkbox], li > p > input[type=checkbox], li > label > input[type=checkbox]"
    ):
        box.replace_with("[x] " if "checked" in box.attrs else "[ ] ")
    remove_nodes(it for it in tree.css("button") if _IDLE_CAPTION.match(text_of(it)))
    for button in tree.css("button"):
        _set_apart(button)
    for select in reversed(tree.css("select")):
        select.replace_with(", ".join(text_of(it) for it in select.css("option")))
    for field in tree.css(_FIELDS):
        field.insert_before(_field_note(field))
    remove_nodes(tree.css("input, textarea:not([readonly]), datalist, progress:empty, meter:empty"))


def _field_note(field: LexborNode) -> str:
    """Return what is shown of a field that no form submits: its fixed text, or that it is there."""
    value = one_line(attribute(field, "value"))
    if "readonly" in field.attrs and value:
        return f" {value} "
    name = one_line(next(filter(None, (attribute(field, it) for it in _FIELD_NAMES)), ""))
    return " (field{}) ".format("".join((name and f": {name}", value and f" = {value}")))


def _set_apart(button: LexborNode) -> None:
    """Insert blanks where the caption of a button would run into words beside it."""
    before, after = _beside(button, forward=False), _beside(button, forward=True)
    if before is not None and (before.is_element_node or (before.text_content or "")[-1:].isalnum()):
        button.insert_before(" ")
    if after is not None and (after.is_element_node or (after.text_content or "")[:1].isalnum()):
        button.insert_after(" ")


def _beside(node: LexborNode, *, forward: bool) -> LexborNode | None:
    """Return what precedes or follows a node in its line, if anything does."""
    above: LexborNode | None = node
    while above is not None and above.tag not in BLOCKS:
        beside = above.next if forward else above.prev
        if beside is not None:
            return beside
        above = above.parent
    return None
