"""HTML pages as documents: main content as Markdown, with an outline of links and sections."""

from __future__ import annotations

from msgspec.structs import replace
from selectolax.lexbor import LexborHTMLParser

from stringd.plugin import Document, Outline
from stringd_web.html.code_blocks import extract_code_blocks, extract_code_spans
from stringd_web.html.formulas import extract_formulas
from stringd_web.html.heading_marks import mark_headings, mark_ids
from stringd_web.html.input_limits import parse_bounded, parse_flattened
from stringd_web.html.link_marks import mark_links
from stringd_web.html.link_resolution import LinkTargets
from stringd_web.html.list_layout import normalize_lists
from stringd_web.html.main_content import keep_main_content
from stringd_web.html.markdown_cleanup import clean_up_markdown
from stringd_web.html.markdown_conversion import NestedTooDeep, to_markdown
from stringd_web.html.marks import Marks, without_marks
from stringd_web.html.media import extract_media, inline_frames
from stringd_web.html.nodes import attribute, text_of
from stringd_web.html.noise_removal import (
    drop_banners,
    drop_hidden_duplicates,
    drop_non_content,
    drop_noscript,
    expand_abbreviations,
    may_have_noise,
)
from stringd_web.html.outline_builder import OutlineBuilder
from stringd_web.html.page_forms import page_forms, summarize_forms
from stringd_web.html.page_source import PageSource, page_source, source_of_content
from stringd_web.html.script_notice import NOTICE, has_scripts, needs_scripts
from stringd_web.html.table_layout import TableNormalizer
from stringd_web.html.widgets import drop_widgets


def read_html(text: str, uri: str, *, full: bool) -> Document:
    """Return a page as a document; `full` keeps everything around the main content."""
    source = page_source(without_marks(text))
    try:
        document = _read(parse_bounded(source), source, uri, full=full)
    except NestedTooDeep:
        document = _read(parse_flattened(source.text), source, uri, full=full)
    return replace(document, source=text)


def _read(tree: LexborHTMLParser, source: PageSource, uri: str, *, full: bool) -> Document:
    tree = inline_frames(tree)
    title, targets, marks = _title(tree), LinkTargets(uri, _base(tree)), Marks()
    is_scripted = has_scripts(tree)
    drop_non_content(tree, source)
    # Collected before content is dropped, since forms outside of it, such as a search, are available too.
    forms = page_forms(tree, source, targets.base) if source.has("form") else ()
    if not full:
        keep_main_content(tree, source)
        source = source_of_content(tree, source)
    if may_have_noise(source):
        _drop_noise(tree, source, full=full)
    if forms:
        summarize_forms(tree, source, marks, forms, uri)
    _replace_by_marks(tree, source, targets, marks)
    builder = OutlineBuilder(marks)
    markdown = builder.build(clean_up_markdown(to_markdown(tree, source), marks))
    if is_scripted and needs_scripts(markdown, has_content=bool(forms or builder.headings or builder.links)):
        markdown = f"{markdown.rstrip()}\n\n{NOTICE}".lstrip()
    outline = Outline(
        links=tuple(builder.links),
        headings=tuple(builder.headings),
        ids=builder.ids(),
        forms=tuple(it.form for it in forms if it.form),
    )
    title = title or next((it.text for it in marks.titles if it.level == 1), None)
    return Document(uri=uri, title=title, text=markdown, outline=outline)


def _drop_noise(tree: LexborHTMLParser, source: PageSource, *, full: bool) -> None:
    if not full:
        drop_banners(tree, source)
    drop_noscript(tree)
    drop_hidden_duplicates(tree)


def _replace_by_marks(tree: LexborHTMLParser, source: PageSource, targets: LinkTargets, marks: Marks) -> None:
    """Replace what the converter must not touch by marks, outer constructs before inner ones."""
    normalize_lists(tree, source)
    extract_code_blocks(tree, source, targets, marks)
    extract_formulas(tree, source, marks)
    extract_media(tree, source, targets, marks)
    drop_widgets(tree, source)
    expand_abbreviations(tree, source)
    mark_links(tree, targets, marks)
    mark_headings(tree, source, marks)
    extract_code_spans(tree, source, marks)
    mark_ids(tree, marks)
    if source.has("table"):
        TableNormalizer(tree, marks).normalize()


def _title(tree: LexborHTMLParser) -> str | None:
    named = tree.head.css("title") if tree.head else []
    return next((title for it in named if (title := text_of(it))), None)


def _base(tree: LexborHTMLParser) -> str | None:
    base = tree.head.css_first("base[href]") if tree.head else None
    return attribute(base, "href") if base else None
