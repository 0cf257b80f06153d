"""Which fields of a page belong to which of its forms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from stringd_web.html.form_fields import Control
from stringd_web.html.form_labels import FieldLabels

_CONTROLS = "form, input, select, textarea, button"
_BUTTON_TYPES = frozenset({"button", "reset"})


@dataclass(slots=True, kw_only=True)
class FormDraft:
    """A form, and what belongs to it in the order of the page; `holds` tells whether any of it is inside."""

    node: LexborNode
    controls: list[Control] = field(default_factory=list)
    holds: bool = False


def collect_forms(tree: LexborHTMLParser, labels: FieldLabels) -> Iterable[FormDraft]:
    """Return the forms of a page, each with the fields that are sent with it."""
    nodes = tree.css(_CONTROLS)
    drafts = {it.mem_id: FormDraft(node=it) for it in nodes if it.tag == "form"}
    by_id = {it.node.attributes.get("id"): it for it in reversed(drafts.values())}
    before: FormDraft | None = None
    for place, node in enumerate(nodes if drafts else (), start=1):
        if node.tag == "form":
            before = drafts[node.mem_id]
            continue
        attributes, around = node.attributes, labels.around(node)
        owner = drafts[around.form.mem_id] if around.form is not None else None
        if owner:
            owner.holds = True
        elif before and not before.holds:
            # A form that begins where none may be, as between the rows of a table, ends at once in the tree.
            owner = before
        if "form" in attributes:
            owner = by_id.get(attributes["form"] or "")
        if owner and not around.disabled and "disabled" not in attributes:
            control = Control(node=node, attributes=attributes, type=_type(node), place=place)
            owner.controls.append(control)
    return drafts.values()


def _type(node: LexborNode) -> str:
    tag = node.tag or ""
    if tag in {"select", "textarea"}:
        return tag
    written = (node.attributes.get("type") or "").lower()
    if tag == "button":
        return written if written in _BUTTON_TYPES else "submit"
    return written or "text"
