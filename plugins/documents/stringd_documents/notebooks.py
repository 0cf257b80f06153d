"""Notebooks of Jupyter: their texts, their code, and what it printed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from stringd.plugin import LoadedBytes
from stringd.plugin.text import limited
from stringd_documents.html_markdown import markdown_of_html
from stringd_documents.markdown_blocks import MarkdownBlocks
from stringd_documents.text_decoding import decoded

_LONGEST_OUTPUT = 20_000
_Json = Mapping[str, Any]


def read(loaded: LoadedBytes, blocks: MarkdownBlocks) -> str | None:
    """Add the cells in their order."""
    notebook = json.loads(decoded(loaded.body))
    metadata = notebook.get("metadata", {})
    language = str(metadata.get("kernelspec", {}).get("language", "") or "python")
    for cell in _cells(notebook):
        source = _text(cell.get("source", cell.get("input", "")))
        match cell.get("cell_type"):
            case "code":
                blocks.code(source, language)
                for output in cell.get("outputs", ()):
                    _add_output(output, blocks)
            case "markdown" | "heading":
                blocks.parsed(source)
            case _:
                blocks.code(source)
    return metadata.get("title") or None


def _cells(notebook: _Json) -> list[_Json]:
    """Return the cells; before version 4 of the format they were on worksheets."""
    sheets = notebook.get("worksheets") or [notebook]
    return [cell for sheet in sheets for cell in sheet["cells"]]


def _add_output(output: _Json, blocks: MarkdownBlocks) -> None:
    """Add what code printed or returned: as Markdown, HTML or text, or the kind of a picture."""
    data = output.get("data", output)
    if "traceback" in output:
        blocks.code(_limited(f"{output.get('ename')}: {output.get('evalue')}"), "text")
    elif "text/markdown" in data:
        blocks.parsed(_text(data["text/markdown"]))
    elif "text/html" in data:
        blocks.parsed(markdown_of_html(_text(data["text/html"])))
    elif "text/plain" in data or "text" in data:
        blocks.code(_limited(_text(data.get("text/plain", data.get("text")))), "text")
    else:
        kinds = ", ".join(str(kind) for kind in data if "/" in str(kind))
        blocks.notice(f"[output: {kinds}]")


def _limited(text: str) -> str:
    return limited(text, _LONGEST_OUTPUT)


def _text(source: object) -> str:
    return "".join(map(str, source)) if isinstance(source, list) else str(source)
