"""The forms of a page, with the fields and values that browsers would submit, and their summaries."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator, Sequence

import webencodings
from msgspec import Struct
from msgspec.structs import replace
from selectolax.lexbor import LexborHTMLParser, LexborNode

from stringd.plugin import Field, FieldKind, Form
from stringd.plugin.actions import schema_of
from stringd.plugin.documents import Names, form_action, origin_of
from stringd.plugin.text import MOST, fenced
from stringd_web.html.form_buttons import (
    button_fields,
    caption_of,
    encoding_of,
    method_of,
    pressed_url,
    target_of,
)
from stringd_web.html.form_fields import (
    Control,
    group_field,
    hidden_field,
    number_field,
    select_field,
    switch_field,
    text_field,
)
from stringd_web.html.form_labels import FieldLabels, one_line
from stringd_web.html.form_owners import CONTROLS, FormDraft, collect_forms
from stringd_web.html.marks import Marks
from stringd_web.html.nodes import ancestors, remove_nodes
from stringd_web.html.page_source import PageSource, find_named

_BUTTONS = frozenset({"submit", "image"})
_NOT_SUBMITTED = frozenset({"button", "reset", "file"})
_NUMBER_TYPES = frozenset({"number", "range"})
_GROUPED_TYPES = frozenset({"checkbox", "radio"})
_MAX_NAME_LENGTH = 40
_CHARSET = "_charset_"
_UNUSABLE_CHARSETS = ("replacement", "utf-16", "x-user-defined")
# Elements that a block can't stand in.
_PARAGRAPHS = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6", "dt", "caption", "summary"})
_WIDGETS = "input, select, textarea:not([readonly]), button, datalist"


class PageForm(Struct, frozen=True, kw_only=True):
    """A form of a page, or None if it leads to no site; its address, and the ids of its nodes."""

    form: Form | None
    url: str
    node: int
    controls: tuple[int, ...]


def page_forms(tree: LexborHTMLParser, source: PageSource, base: str) -> Sequence[PageForm]:
    """Return the forms of a page, except `method=dialog` forms."""
    labels = FieldLabels(tree)
    drafts = collect_forms(find_named(tree, source, CONTROLS), labels)
    names = _FormNames()
    return [_page_form(it, labels, names, base) for it in drafts if _method(it) != "DIALOG"]


def describe_form(form: Form, uri: str = "") -> list[str]:
    """Return the lines that replace a form in the page: how to call it, with its fields."""
    lines = [schema_of(form_action(form, uri or form.url), most=MOST)]
    if form.left_out:
        lines += ["", f"Files can't be sent, and are left out: {', '.join(form.left_out)}"]
    return fenced("\n".join(lines)).split("\n")


class _FormNames:
    """Unique form names; forms without a name are numbered."""

    def __init__(self) -> None:
        self._names = Names()
        self._numbers = itertools.count(1)

    def take(self, wanted: str) -> str:
        """Return a unique name."""
        return self._names.take(wanted or f"form-{next(self._numbers)}")


def _page_form(draft: FormDraft, labels: FieldLabels, names: _FormNames, base: str) -> PageForm:
    action = (draft.node.attributes.get("action") or "").strip()
    url = target_of(action, base) if action else ""
    buttons = [
        it for it in draft.controls if it.type in _BUTTONS and _is_sendable(pressed_url(it, base) or url)
    ]
    is_offered = bool(buttons) or _is_sendable(url)
    return PageForm(
        form=_form(draft, buttons, labels, names, base, url) if is_offered else None,
        url=url,
        node=draft.node.mem_id,
        controls=tuple(it.node.mem_id for it in draft.controls),
    )


def _is_sendable(url: str) -> bool:
    """Whether a form may be sent to a URL; an empty one is the page's."""
    return not url or origin_of(url) is not None


def _form(
    draft: FormDraft,
    buttons: Sequence[Control],
    labels: FieldLabels,
    names: _FormNames,
    base: str,
    url: str,
) -> Form:
    attributes = draft.node.attributes
    encoding = _encoding(attributes.get("accept-charset") or "")
    fields = [*_fields(draft.controls, labels, encoding), *button_fields(buttons, labels, base)]
    files = (it for it in draft.controls if it.type == "file")
    return Form(
        id=names.take(_form_name(draft, buttons, labels)),
        method=_method(draft),
        url=url,
        encoding=encoding_of(attributes.get("enctype")),
        fields=tuple(sorted(fields, key=lambda it: it.place)),
        left_out=tuple(labels.of(it.node, it.attributes) or one_line(it.name) or "a file" for it in files),
        charset=encoding.codec_info.name,
    )


def _method(draft: FormDraft) -> str:
    return method_of(draft.node.attributes.get("method"))


def _fields(
    controls: Sequence[Control], labels: FieldLabels, encoding: webencodings.Encoding
) -> Iterator[Field]:
    groups: dict[tuple[str, str], list[Control]] = {}
    for it in controls:
        if not it.name or it.type in _NOT_SUBMITTED or it.type in _BUTTONS:
            continue
        if it.type in _GROUPED_TYPES:
            groups.setdefault((it.type, it.name), []).append(it)
        else:
            yield from _single_field(it, labels, encoding)
    for (kind, _), group in groups.items():
        alone = kind == "checkbox" and len(group) == 1
        yield switch_field(group[0], labels) if alone else group_field(group, labels)


def _single_field(control: Control, labels: FieldLabels, encoding: webencodings.Encoding) -> Iterator[Field]:
    if control.type == "hidden":
        is_charset_field = control.name.lower() == _CHARSET
        yield hidden_field(control, _name_of(encoding) if is_charset_field else None)
    elif control.type == "select":
        yield select_field(control, labels)
    else:
        read = number_field if control.type in _NUMBER_TYPES else text_field
        field = read(control, labels)
        is_fixed = "readonly" in control.attributes and control.type != "range"
        yield replace(field, kind=FieldKind.HIDDEN) if is_fixed else field
    if control.get("dirname"):
        yield hidden_field(replace(control, attributes={"name": control.get("dirname")}), "ltr")


def _form_name(draft: FormDraft, buttons: Sequence[Control], labels: FieldLabels) -> str:
    attributes = draft.node.attributes
    own_names = (attributes.get("id"), attributes.get("name"), labels.caption(draft.node))
    candidates = [*own_names, *(caption_of(it, labels) for it in buttons[:1])]
    return next(filter(None, map(_to_action_name, candidates)), "")


def _to_action_name(text: str | None) -> str:
    """Return a text in the form of an action name; empty if nothing is left of it."""
    plain = unicodedata.normalize("NFKD", text or "").encode("ascii", "ignore").decode().lower()
    spelled = re.sub(r"[^a-z0-9_]+", "-", plain).lstrip("0123456789_-")
    return spelled[:_MAX_NAME_LENGTH].rstrip("_-")


def _encoding(accepted: str) -> webencodings.Encoding:
    """Return the first usable charset of `accept-charset`; UTF-8 by default."""
    known = filter(None, map(webencodings.lookup, accepted.split()))
    return next((it for it in known if not it.name.startswith(_UNUSABLE_CHARSETS)), webencodings.UTF8)


def _name_of(encoding: webencodings.Encoding) -> str:
    name: str = encoding.name
    return name.upper() if encoding is webencodings.UTF8 else name


def summarize_forms(
    tree: LexborHTMLParser, source: PageSource, marks: Marks, forms: Sequence[PageForm], uri: str
) -> None:
    """Replace the controls of each form by a summary, at its end or else where the first of them stands."""
    nodes = {it.mem_id: it for it in find_named(tree, source, CONTROLS)}
    if not nodes:
        return
    replaced = {it.mem_id for form in nodes.values() if form.tag == "form" for it in form.css(_WIDGETS)}
    for it in forms:
        replaced.update(it.controls)
        place = next((nodes[key] for key in (it.node, *it.controls) if key in nodes), None)
        if place is not None:
            _insert_summary(tree, place, marks.block(_summary(it, uri)))
    remove_nodes(it for it in tree.css(_WIDGETS) if it.mem_id in replaced)


def _summary(it: PageForm, uri: str) -> list[str]:
    if it.form is not None:
        return describe_form(it.form, uri)
    return fenced(f"A form that leads to {one_line(it.url)}, and can't be sent from here.").split("\n")


def _insert_summary(tree: LexborHTMLParser, place: LexborNode, mark: str) -> None:
    """Insert a summary at the end of a form, or at a control outside of it, between blocks."""
    summary = tree.create_node("div")
    summary.insert_child(mark)
    if place.tag == "form":
        place.insert_child(summary, move=True)
    elif (paragraph := next((it for it in ancestors(place) if it.tag in _PARAGRAPHS), None)) is not None:
        paragraph.insert_after(summary, move=True)
    else:
        place.insert_before(summary, move=True)
