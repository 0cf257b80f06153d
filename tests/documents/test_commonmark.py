"""CommonMark's own examples: a document that uses nothing of ours is shown as it was written.

The examples come with the sources of the parser: `pip download --no-binary :all: --no-deps markdown-it-py`
into `build/sources`, where they are looked for. Without them nothing is tested here.
"""

from __future__ import annotations

import json
import re
import tarfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from stringd.documents.syntax.document_text import render
from stringd.documents.syntax.markdown import make_parser
from stringd.documents.syntax.parser import parse
from stringd.documents.syntax.shortcuts import find_shortcuts

RELEASE = f"markdown_it_py-{version('markdown-it-py')}"
SOURCES = Path(__file__).parents[2] / "build" / "sources" / f"{RELEASE}.tar.gz"
OURS = re.compile(r"\]\(|\]:|\]\[|<!--|^---", re.MULTILINE)
EMPTY_QUOTE = re.compile(r"<blockquote>\s*</blockquote>")
TITLE = re.compile(r' title="[^"]*"')


def examples() -> list[Any]:
    if not SOURCES.exists():
        return [pytest.param({}, marks=pytest.mark.skip(reason=f"{SOURCES.name} is not in build/sources"))]
    with tarfile.open(SOURCES) as archive:
        found = archive.extractfile(f"{RELEASE}/tests/test_cmark_spec/commonmark.json")
        assert found is not None
        return [pytest.param(it, id=str(it["example"])) for it in json.load(found)]


def html(text: str) -> str:
    """Return the HTML without the titles of links, and the quotes that held nothing but a definition."""
    return EMPTY_QUOTE.sub("", TITLE.sub("", make_parser().render(text))).strip()


def with_targets(text: str, targets: dict[str, str]) -> str:
    definitions = "\n".join(f"[@{name}]: {_destination(target)}" for name, target in targets.items())
    return f"{text}\n\n{definitions}" if targets else text


def _destination(target: str) -> str:
    escaped = re.sub(r"([\\<>&])", r"\\\1", target)
    return f"<{escaped}>"


@pytest.mark.parametrize("example", examples())
def test_example(example: dict[str, Any]) -> None:
    source = example["markdown"]
    parsed = parse(source)
    shortcuts = find_shortcuts(parsed)
    shown = render(parsed, shortcuts)
    assert shown == source or OURS.search(source)
    targets = {it.id: it.target for it in shortcuts.by_id.values()}
    assert html(with_targets(shown, targets)) == html(source)
