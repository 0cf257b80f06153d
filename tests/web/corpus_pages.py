"""The pages in `corpus/` with their expectations from `corpus/expectations.yaml`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.web.fidelity.authored import Plan
from tests.web.server import HTML

FOLDER = Path(__file__).parent / "corpus"


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusPage:
    """A page as it is served, as it is meant, and what is expected of it."""

    name: str
    media_type: str
    body: bytes
    html: str
    plan: Plan
    marks: tuple[str, ...]
    absent: Sequence[str]
    present: Sequence[str]
    targets: Sequence[str]


def corpus_pages() -> list[CorpusPage]:
    """Return all pages; each file has an entry and each entry a file."""
    entries: Mapping[str, Mapping[str, Any]] = yaml.safe_load(
        (FOLDER / "expectations.yaml").read_text(encoding="utf-8")
    )
    return [_page(name, entry) for name, entry in entries.items()]


def _page(name: str, entry: Mapping[str, Any]) -> CorpusPage:
    body = (FOLDER / name).read_bytes()
    languages = entry.get("languages")
    plan = Plan(
        furniture=(*entry.get("furniture", ()), *entry.get("marks", ())),
        layout=tuple(entry.get("layout", ())),
        languages=None if languages is None else tuple(languages),
        noscript=entry.get("noscript", False),
    )
    return CorpusPage(
        name=name,
        media_type=entry.get("media_type", HTML),
        body=body,
        html=body.decode(entry.get("charset", "utf-8")),
        plan=plan,
        marks=tuple(entry.get("marks", ())),
        absent=entry.get("absent", ()),
        present=entry.get("present", ()),
        targets=entry.get("targets", ()),
    )
