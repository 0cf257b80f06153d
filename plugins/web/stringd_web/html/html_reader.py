"""HTML as an agent should read it: its content as Markdown, and where in it the links and sections are."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from stringd.plugin import Document, Outline
from stringd_web.html.anchors import mark_headings, mark_ids
from stringd_web.html.code_blocks import extract_code_blocks, extract_code_spans
from stringd_web.html.element_kinds import ElementKinds, element_kinds
from stringd_web.html.form_summary import summarize_forms
from stringd_web.html.formulas import FORMULAS, extract_formulas
from stringd_web.html.input_limits import parse_bounded, parse_flattened
from stringd_web.html.link_marks import mark_links
from stringd_web.html.link_targets import LinkTargets
from stringd_web.html.main_content import keep_main_content
from stringd_web.html.markdown_cleanup import clean_up_markdown
from stringd_web.html.markdown_conversion import NestedTooDeep, to_markdown
from stringd_web.html.marks import Marks, without_marks
from stringd_web.html.media import MEDIA, extract_media, inline_frames
from stringd_web.html.nodes import attribute, text_of
from stringd_web.html.noise_removal import (
    HINTS,
    WIDGETS,
    drop_banners,
    drop_hidden_duplicates,
    drop_non_content,
    drop_noscript,
    drop_widgets,
    expand_abbreviations,
    may_have_noise,
)
from stringd_web.html.outline_builder import OutlineBuilder
from stringd_web.html.page_forms import forms_with_nodes
from stringd_web.html.script_notice import has_scripts, with_script_notice
from stringd_web.html.table_layout import Tables

_UNUSUAL = FORMULAS | MEDIA | WIDGETS | HINTS


def read_html(text: str, uri: str, *, full: bool) -> Document:
    """Return a page as a document; `full` keeps what is around its content."""
    try:
        return _read(parse_bounded(without_marks(text)), text, uri, full=full)
    except NestedTooDeep:
        return _read(parse_flattened(without_marks(text)), text, uri, full=full)


def _read(tree: LexborHTMLParser, text: str, uri: str, *, full: bool) -> Document:
    tree = inline_frames(tree)
    title, targets, marks = _title(tree), LinkTargets(uri, _base(tree)), Marks()
    is_scripted = has_scripts(tree)
    drop_non_content(tree)
    # A page's forms are its own also where they stand beside its content, as a search does.
    forms = {it.node.mem_id: it.form for it in forms_with_nodes(tree, targets.base)}
    if not full:
        keep_main_content(tree)
    kinds = element_kinds(tree, text)
    if may_have_noise(tree, kinds):
        _clean(tree, full=full)
    if forms and "form" in kinds.tags:
        summarize_forms(tree, marks, forms, uri)
    _take(tree, kinds, targets, marks)
    places = OutlineBuilder(marks)
    markdown = places.fill(clean_up_markdown(to_markdown(tree.body.html or "" if tree.body else ""), marks))
    if is_scripted and not forms:
        markdown = with_script_notice(markdown, places)
    outline = Outline(
        links=tuple(places.links),
        headings=tuple(places.headings),
        ids=places.ids(),
        forms=tuple(forms.values()),
    )
    title = title or next((it.text for it in marks.titles if it.level == 1), None)
    return Document(uri=uri, title=title, text=markdown, source=text, outline=outline)


def _clean(tree: LexborHTMLParser, *, full: bool) -> None:
    if not full:
        drop_banners(tree)
    drop_noscript(tree)
    drop_hidden_duplicates(tree)


def _take(tree: LexborHTMLParser, kinds: ElementKinds, targets: LinkTargets, marks: Marks) -> None:
    """Take out of a page what Markdown is not to change; what comes later is in what came before."""
    extract_code_blocks(tree, kinds, targets, marks)
    if kinds.tags & _UNUSUAL:
        extract_formulas(tree, marks)
        extract_media(tree, targets, marks)
        drop_widgets(tree)
        expand_abbreviations(tree)
    mark_links(tree, targets, marks)
    mark_headings(tree, kinds, marks)
    extract_code_spans(tree, marks)
    mark_ids(tree, marks)
    if "table" in kinds.tags:
        Tables(tree, marks).settle()


def _title(tree: LexborHTMLParser) -> str | None:
    named = tree.head.css("title") if tree.head else []
    return next((title for it in named if (title := text_of(it))), None)


def _base(tree: LexborHTMLParser) -> str | None:
    base = tree.head.css_first("base[href]") if tree.head else None
    return attribute(base, "href") if base else None
