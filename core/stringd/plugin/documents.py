"""Documents: pages, paths, targets and parsed text."""

from __future__ import annotations

from stringd.documents.document_topic import loaded_page
from stringd.documents.pages.cached_parsing import read_sheet
from stringd.documents.pages.file_pages import facts_page
from stringd.documents.pages.includes import Linked
from stringd.documents.pages.page import Page, file_page
from stringd.documents.paths.document_origins import Origin
from stringd.documents.paths.resolving import locate, resolve, working_directory
from stringd.documents.paths.text_files import read_if_there, read_text
from stringd.documents.shown_images import LARGEST_IMAGE, ShownImage, collect_images, image_of
from stringd.documents.syntax.actions import CALL, CLI, Action
from stringd.documents.syntax.blocks import Names, slug
from stringd.documents.syntax.diagnostics import Diagnostic, DiagnosticCode
from stringd.documents.syntax.forms import form_action
from stringd.documents.syntax.json_markdown import JsonMarkdown, json_markdown
from stringd.documents.syntax.markdown_writer import MarkdownWriter
from stringd.documents.syntax.parameters import Parameter
from stringd.documents.syntax.parsed_document import ParsedDocument
from stringd.documents.syntax.parsing_cost import OF_A_STRANGER, parsing_effort
from stringd.files.open_directory import is_there
from stringd.files.typed_paths import confine, file_of, is_directory
from stringd.text.uris import is_uri, resolve_uri
from stringd.text.web_urls import origin_of

__all__ = [
    "CALL",
    "CLI",
    "LARGEST_IMAGE",
    "OF_A_STRANGER",
    "Action",
    "Diagnostic",
    "DiagnosticCode",
    "JsonMarkdown",
    "Linked",
    "MarkdownWriter",
    "Names",
    "Origin",
    "Page",
    "Parameter",
    "ParsedDocument",
    "ShownImage",
    "collect_images",
    "confine",
    "facts_page",
    "file_of",
    "file_page",
    "form_action",
    "image_of",
    "is_directory",
    "is_there",
    "is_uri",
    "json_markdown",
    "loaded_page",
    "locate",
    "origin_of",
    "parsing_effort",
    "read_if_there",
    "read_sheet",
    "read_text",
    "resolve",
    "resolve_uri",
    "slug",
    "working_directory",
]
