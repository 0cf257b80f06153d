"""The pages of the documentation."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]


def text_of(name: str) -> str:
    """The text of a page, named from the root of the repository."""
    return (ROOT / name).read_text(encoding="utf-8")
