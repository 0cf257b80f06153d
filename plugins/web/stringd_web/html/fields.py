"""Where a form stands in a page, its fields are listed."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

from stringd_web.html.marks import Marks
from stringd_web.html.trees import attribute, remove, words

_WIDGETS = "input, select, textarea, button, datalist"
_UNSEEN = {"hidden", "submit", "button", "reset", "image"}


def list_fields(tree: LexborHTMLParser, marks: Marks) -> None:
    """Put in each form, in the place of what can be filled in, a list of it."""
    for form in tree.css("form"):
        lines = _fields(form)
        remove(form.css(_WIDGETS))
        if lines:
            place = tree.create_node("div")
            place.insert_child(marks.block(lines))
            form.insert_child(place, move=True)


def _fields(form: LexborNode) -> list[str]:
    described: dict[str, str] = {}
    for it in form.css("input, select, textarea"):
        name = attribute(it, "name")
        if name and attribute(it, "type").lower() not in _UNSEEN:
            described.setdefault(name, f"- {name}{_values(it)}")
    return list(described.values())


def _values(field: LexborNode) -> str:
    options = [words(it) for it in field.css("option")]
    return f": {', '.join(options)}" if options else ""
