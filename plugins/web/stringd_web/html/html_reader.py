"""HTML as an agent should read it: its content as Markdown, and where in it the links and sections are."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from stringd.plugin import Document, Outline
from stringd_web.html.anchors import take_headings, take_names
from stringd_web.html.code_blocks import take_code_blocks, take_code_spans
from stringd_web.html.element_kinds import Kinds, kinds_of
from stringd_web.html.form_summary import list_fields
from stringd_web.html.formulas import FORMULAS, take_formulas
from stringd_web.html.input_limits import parsed, parsed_flat
from stringd_web.html.link_marks import take_links
from stringd_web.html.link_targets import Targets
from stringd_web.html.main_content import choose_content
from stringd_web.html.markdown_cleanup import tidied
from stringd_web.html.markdown_conversion import TooDeep, to_markdown
from stringd_web.html.marks import Marks, without_marks
from stringd_web.html.media import MEDIA, framed, take_media
from stringd_web.html.nodes import attribute, words
from stringd_web.html.noise_removal import (
    HINTS,
    WIDGETS,
    drop_banners,
    drop_machinery,
    drop_repeated,
    drop_substitutes,
    drop_widgets,
    has_doubtful,
    write_out_hints,
)
from stringd_web.html.outline_builder import Places
from stringd_web.html.page_forms import placed_forms
from stringd_web.html.script_notice import has_scripts, with_word_of_scripts
from stringd_web.html.table_layout import Tables

_UNUSUAL = FORMULAS | MEDIA | WIDGETS | HINTS


def read_html(text: str, uri: str, *, full: bool) -> Document:
    """Return a page as a document; `full` keeps what is around its content."""
    try:
        return _read(parsed(without_marks(text)), text, uri, full=full)
    except TooDeep:
        return _read(parsed_flat(without_marks(text)), text, uri, full=full)


def _read(tree: LexborHTMLParser, text: str, uri: str, *, full: bool) -> Document:
    tree = framed(tree)
    title, targets, marks = _title(tree), Targets(uri, _base(tree)), Marks()
    is_scripted = has_scripts(tree)
    drop_machinery(tree)
    # A page's forms are its own also where they stand beside its content, as a search does.
    forms = {it.node.mem_id: it.form for it in placed_forms(tree, targets.base)}
    if not full:
        choose_content(tree)
    kinds = kinds_of(tree, text)
    if has_doubtful(tree, kinds):
        _clean(tree, full=full)
    if forms and "form" in kinds.tags:
        list_fields(tree, marks, forms, uri)
    _take(tree, kinds, targets, marks)
    places = Places(marks)
    markdown = places.fill(tidied(to_markdown(tree.body.html or "" if tree.body else ""), marks))
    if is_scripted and not forms:
        markdown = with_word_of_scripts(markdown, places)
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
    drop_substitutes(tree)
    drop_repeated(tree)


def _take(tree: LexborHTMLParser, kinds: Kinds, targets: Targets, marks: Marks) -> None:
    """Take out of a page what Markdown is not to change; what comes later is in what came before."""
    take_code_blocks(tree, kinds, targets, marks)
    if kinds.tags & _UNUSUAL:
        take_formulas(tree, marks)
        take_media(tree, targets, marks)
        drop_widgets(tree)
        write_out_hints(tree)
    take_links(tree, targets, marks)
    take_headings(tree, kinds, marks)
    take_code_spans(tree, marks)
    take_names(tree, marks)
    if "table" in kinds.tags:
        Tables(tree, marks).settle()


def _title(tree: LexborHTMLParser) -> str | None:
    named = tree.head.css("title") if tree.head else []
    return next((title for it in named if (title := words(it))), None)


def _base(tree: LexborHTMLParser) -> str | None:
    base = tree.head.css_first("base[href]") if tree.head else None
    return attribute(base, "href") if base else None
