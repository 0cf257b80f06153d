"""Association of form controls with their forms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct, field
from selectolax.lexbor import LexborNode

from stringd_web.html.form_fields import Control
from stringd_web.html.form_labels import FieldLabels

CONTROLS = ("form", "input", "select", "textarea", "button")
_BUTTON_TYPES = frozenset({"button", "reset"})


class FormDraft(Struct, kw_only=True):
    """A form with its controls in page order; `holds` if any control is a descendant."""

    node: LexborNode
    controls: list[Control] = field(default_factory=list)
    holds: bool = False


def collect_forms(nodes: Sequence[LexborNode], labels: FieldLabels) -> Iterable[FormDraft]:
    """Return the forms of a page with their controls, given both in the order of the page."""
    drafts = {it.mem_id: FormDraft(node=it) for it in nodes if it.tag == "form"}
    by_id = {it.node.attributes.get("id"): it for it in reversed(drafts.values())}
    last_form: FormDraft | None = None
    for place, node in enumerate(nodes if drafts else (), start=1):
        if node.tag == "form":
            last_form = drafts[node.mem_id]
            continue
        attributes, context = node.attributes, labels.context(node)
        owner = drafts[context.form.mem_id] if context.form is not None else None
        if owner:
            owner.holds = True
        elif last_form and not last_form.holds:
            # The parser closes a misplaced form, as between table rows, at once.
            owner = last_form
        if "form" in attributes:
            owner = by_id.get(attributes["form"] or "")
        if owner and not context.disabled and "disabled" not in attributes:
            control = Control(node=node, attributes=attributes, type=_control_type(node), place=place)
            owner.controls.append(control)
    return drafts.values()


def _control_type(node: LexborNode) -> str:
    tag = node.tag or ""
    if tag in {"select", "textarea"}:
        return tag
    written = (node.attributes.get("type") or "").lower()
    if tag == "button":
        return written if written in _BUTTON_TYPES else "submit"
    return written or "text"
