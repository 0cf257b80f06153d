"""Labels and context of form controls."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace
from selectolax.lexbor import LexborHTMLParser, LexborNode

Attributes = Mapping[str, str | None]

MAX_LABEL_LENGTH = 200
_MAX_NODES = 1000
_MAX_SUGGESTIONS = 20
# Descendants of a label whose text is not part of it.
_NOT_LABEL_TEXT = frozenset({"button", "datalist", "script", "select", "style", "template", "textarea"})


class FieldContext(Struct, frozen=True):
    """The nearest form, label and fieldset around a control, and whether the fieldset is disabled."""

    form: LexborNode | None = None
    label: LexborNode | None = None
    fieldset: LexborNode | None = None
    disabled: bool = False
    outside_disabled: bool = False


class FieldLabels:
    """Finds labels; visits each node of the page at most once."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self._tree = tree
        self._contexts: dict[int, FieldContext] = {}
        self._texts: dict[int, str] = {}
        self._suggestions: dict[str, str] = {}

    def context(self, node: LexborNode) -> FieldContext:
        """Return the context of a node."""
        path, outer = [], node.parent
        while outer is not None and outer.mem_id not in self._contexts:
            path.append(outer)
            outer = outer.parent
        context = self._contexts[outer.mem_id] if outer is not None else FieldContext()
        for it in reversed(path):
            context = self._contexts[it.mem_id] = _context_of_children(it, context)
        return context

    def of(self, node: LexborNode, attributes: Attributes) -> str:
        """Return the label of a control: from its label element, or else from its attributes."""
        return next(filter(None, self._names(node, attributes)), "")

    def legend(self, node: LexborNode) -> str:
        """Return the legend of the fieldset around a control."""
        fieldset = self.context(node).fieldset
        return self.caption(fieldset) if fieldset is not None else ""

    def caption(self, node: LexborNode) -> str:
        """Return the text of the first legend in a fieldset or a form."""
        legend = node.css_first("legend")
        return self._text(legend) if legend is not None else ""

    def texts_of_ids(self, ids: str | None) -> str:
        """Return the texts of the nodes with the given ids."""
        found = (self._by_id.get(it) for it in (ids or "").split())
        return " ".join(self._text(it) for it in found if it is not None)

    def suggestions(self, datalist: str) -> str:
        """Return the suggestions of a datalist; empty if there is none."""
        if datalist and datalist not in self._suggestions:
            node = self._by_id.get(datalist)
            options = node.css("option") if node is not None and node.tag == "datalist" else []
            self._suggestions[datalist] = _suggested(options)
        return self._suggestions.get(datalist, "")

    def _names(self, node: LexborNode, attributes: Attributes) -> Iterator[str]:
        name = attributes.get("id")
        if name and name in self._for:
            yield self._text(self._for[name])
        label = self.context(node).label
        if label is not None and "for" not in label.attributes:
            yield self._text(label)
        yield self.texts_of_ids(attributes.get("aria-labelledby"))
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
    """Return a text on one line, shortened to the length of a label."""
    line = " ".join(text.split())
    return (
        line if len(line) <= MAX_LABEL_LENGTH else textwrap.shorten(line, MAX_LABEL_LENGTH, placeholder=" …")
    )


def _suggested(options: Sequence[LexborNode]) -> str:
    shown = (one_line(it.attributes.get("value") or it.text()) for it in options[:_MAX_SUGGESTIONS])
    more = len(options) - _MAX_SUGGESTIONS
    return ", ".join(shown) + (f" … and {more} more" if more > 0 else "")


def _pieces(node: LexborNode) -> Iterator[str]:
    """Yield the visible text of a node; iterative, since nesting may exceed the recursion limit."""
    stack = [node]
    for _ in range(_MAX_NODES):
        if not stack:
            return
        it = stack.pop()
        if it.is_text_node:
            yield it.text(deep=False)
        elif it.tag not in _NOT_LABEL_TEXT:
            stack += reversed([*it.iter(include_text=True)])


def _context_of_children(node: LexborNode, context: FieldContext) -> FieldContext:
    """Return the context of the children of a node."""
    match node.tag:
        case "form":
            return replace(context, form=node)
        case "label":
            return replace(context, label=node)
        case "fieldset":
            disabled = context.disabled or "disabled" in node.attributes
            return replace(context, fieldset=node, disabled=disabled, outside_disabled=context.disabled)
        case "legend" if _is_first_legend(node):
            return replace(context, disabled=context.outside_disabled)
        case _:
            return context


def _is_first_legend(node: LexborNode) -> bool:
    fieldset = node.parent
    if fieldset is None or fieldset.tag != "fieldset":
        return False
    first = next((it for it in fieldset.iter() if it.tag == "legend"), None)
    return first is not None and first.mem_id == node.mem_id
