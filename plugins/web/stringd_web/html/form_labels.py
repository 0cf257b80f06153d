"""What the fields of forms are called, and what stands around them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from selectolax.lexbor import LexborHTMLParser, LexborNode

Attributes = Mapping[str, str | None]

LONGEST = 200
_MOST_NODES = 1000
_MOST_SUGGESTED = 20
# What stands in a label beside its text: the field itself, and what nobody sees.
_NO_TEXT = frozenset({"button", "datalist", "script", "select", "style", "template", "textarea"})


@dataclass(frozen=True, slots=True)
class FieldContext:
    """What stands around a field: the nearest of each, and whether it is switched off with its fieldset."""

    form: LexborNode | None = None
    label: LexborNode | None = None
    fieldset: LexborNode | None = None
    disabled: bool = False
    outside_disabled: bool = False


class FieldLabels:
    """Knows a page's labels; each of its nodes is looked at once, however many fields there are."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self._tree = tree
        self._around: dict[int, FieldContext] = {}
        self._texts: dict[int, str] = {}
        self._suggestions: dict[str, str] = {}

    def around(self, node: LexborNode) -> FieldContext:
        """Return what stands around a node."""
        path, outer = [], node.parent
        while outer is not None and outer.mem_id not in self._around:
            path.append(outer)
            outer = outer.parent
        around = self._around[outer.mem_id] if outer is not None else FieldContext()
        for it in reversed(path):
            around = self._around[it.mem_id] = _inside(it, around)
        return around

    def of(self, node: LexborNode, attributes: Attributes) -> str:
        """Return what a field is called by its label, by its own attributes or, last, by its example."""
        return next(filter(None, self._names(node, attributes)), "")

    def legend(self, node: LexborNode) -> str:
        """Return what the fields are called among which a field stands."""
        fieldset = self.around(node).fieldset
        return self.caption(fieldset) if fieldset is not None else ""

    def caption(self, node: LexborNode) -> str:
        """Return the text of the first legend in a fieldset or a form."""
        legend = node.css_first("legend")
        return self._text(legend) if legend is not None else ""

    def named(self, ids: str | None) -> str:
        """Return the texts of the nodes of some ids."""
        found = (self._by_id.get(it) for it in (ids or "").split())
        return " ".join(self._text(it) for it in found if it is not None)

    def suggestions(self, datalist: str) -> str:
        """Return what a list suggests to fill in; empty where there is no such list."""
        if datalist and datalist not in self._suggestions:
            node = self._by_id.get(datalist)
            options = node.css("option") if node is not None and node.tag == "datalist" else []
            self._suggestions[datalist] = _suggested(options)
        return self._suggestions.get(datalist, "")

    def _names(self, node: LexborNode, attributes: Attributes) -> Iterator[str]:
        name = attributes.get("id")
        if name and name in self._for:
            yield self._text(self._for[name])
        label = self.around(node).label
        if label is not None and "for" not in label.attributes:
            yield self._text(label)
        yield self.named(attributes.get("aria-labelledby"))
        for it in ("aria-label", "placeholder", "title"):
            yield one_line(attributes.get(it) or "")

    def _text(self, node: LexborNode) -> str:
        if node.mem_id not in self._texts:
            self._texts[node.mem_id] = one_line("".join(_pieces(node)))
        return self._texts[node.mem_id]

    @cached_property
    def _for(self) -> Mapping[str, LexborNode]:
        labels = reversed(self._tree.css("label[for]"))
        return {it.attributes["for"] or "": it for it in labels}

    @cached_property
    def _by_id(self) -> Mapping[str, LexborNode]:
        return {it.attributes["id"] or "": it for it in reversed(self._tree.css("[id]"))}


def one_line(text: str) -> str:
    """Return a text in one line, not too long to be a label."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else textwrap.shorten(line, LONGEST, placeholder=" …")


def _suggested(options: Sequence[LexborNode]) -> str:
    shown = (one_line(it.attributes.get("value") or it.text()) for it in options[:_MOST_SUGGESTED])
    more = len(options) - _MOST_SUGGESTED
    return ", ".join(shown) + (f" … and {more} more" if more > 0 else "")


def _pieces(node: LexborNode) -> Iterator[str]:
    """Yield the text in a node as far as it is shown; it may be nested more deeply than calls can be."""
    waiting = [node]
    for _ in range(_MOST_NODES):
        if not waiting:
            return
        it = waiting.pop()
        if it.is_text_node:
            yield it.text(deep=False)
        elif it.tag not in _NO_TEXT:
            waiting += reversed([*it.iter(include_text=True)])


def _inside(node: LexborNode, around: FieldContext) -> FieldContext:
    """Return what stands around the children of a node."""
    match node.tag:
        case "form":
            return replace(around, form=node)
        case "label":
            return replace(around, label=node)
        case "fieldset":
            disabled = around.disabled or "disabled" in node.attributes
            return replace(around, fieldset=node, disabled=disabled, outside_disabled=around.disabled)
        case "legend" if _is_first_legend(node):
            return replace(around, disabled=around.outside_disabled)
        case _:
            return around


def _is_first_legend(node: LexborNode) -> bool:
    fieldset = node.parent
    if fieldset is None or fieldset.tag != "fieldset":
        return False
    first = next((it for it in fieldset.iter() if it.tag == "legend"), None)
    return first is not None and first.mem_id == node.mem_id
