"""What this plugin adds to stringd."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.plugin import Document, LoadedBytes, Renderer, hookimpl

_OFFICE, _OPEN = "application/vnd.openxmlformats-officedocument", "application/vnd.oasis.opendocument"
TABLES = ("text/csv", "text/tab-separated-values")
PAGED = (
    "application/pdf",
    f"{_OFFICE}.presentationml.presentation",
    f"{_OFFICE}.presentationml.slideshow",
    f"{_OFFICE}.presentationml.template",
    "application/vnd.ms-powerpoint.presentation.macroenabled.12",
    f"{_OPEN}.presentation",
    f"{_OPEN}.presentation-template",
    f"{_OFFICE}.spreadsheetml.sheet",
    f"{_OFFICE}.spreadsheetml.template",
    "application/vnd.ms-excel",
    "application/vnd.ms-excel.sheet.binary.macroenabled.12",
    "application/vnd.ms-excel.sheet.macroenabled.12",
    f"{_OPEN}.spreadsheet",
    f"{_OPEN}.spreadsheet-template",
)
WHOLE = (
    f"{_OFFICE}.wordprocessingml.document",
    f"{_OFFICE}.wordprocessingml.template",
    "application/vnd.ms-word.document.macroenabled.12",
    f"{_OPEN}.text",
    f"{_OPEN}.text-template",
    "application/epub+zip",
    "application/x-ipynb+json",
    "message/rfc822",
)


@hookimpl
def stringd_renderers() -> Iterable[Renderer]:
    """Render documents of other programs, all but small tables in a process of their own."""
    return (
        Renderer(media_types=TABLES, render=_render),
        Renderer(media_types=PAGED, render=_render, apart=True, pages=True),
        Renderer(media_types=WHOLE, render=_render, apart=True),
    )


def _render(loaded: LoadedBytes) -> Document:
    # Most daemons never need the imports.
    from stringd_documents.document_conversion import convert

    return convert(loaded)
