"""Replacement of forms by a summary of their actions and fields."""

from __future__ import annotations

from collections.abc import Mapping

from selectolax.lexbor import LexborHTMLParser

from stringd.plugin import Form
from stringd_web.html.marks import Marks
from stringd_web.html.nodes import remove_nodes
from stringd_web.html.page_forms import describe_form

_WIDGETS = "input, select, textarea:not([readonly]), button, datalist"


def summarize_forms(tree: LexborHTMLParser, marks: Marks, forms: Mapping[int, Form], uri: str) -> None:
    """Replace the controls of each form, by node id, by a summary at its end."""
    for node in tree.css("form"):
        remove_nodes(node.css(_WIDGETS))
        form = forms.get(node.mem_id)
        if form:
            place = tree.create_node("div")
            place.insert_child(marks.block(describe_form(form, uri)))
            node.insert_child(place, move=True)
