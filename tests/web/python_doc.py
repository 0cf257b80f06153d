"""The Python documentation as packaged by Debian, and the pages of it to compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from stringd.client import Client
from tests.web.fidelity.authored import Plan, authored
from tests.web.fidelity.comparing import Tally, compare
from tests.web.fidelity.shown import shown
from tests.web.html_pages import read

FOLDER = Path("/usr/share/doc/python3/html")
PLAN = Plan(
    furniture=(
        # What stands around the text on every page.
        ".mobile-nav",
        ".related",
        ".sphinxsidebar",
        ".footer",
        # The ¶ behind each heading and definition leads to where it stands.
        "a.headerlink",
        # Signs that unfold rows of an index, for a script.
        "img.toggler",
    ),
    layout=(
        # Columns of an index: lists side by side.
        ".indextable:not(.modindextable)",
        ".contentstable",
        ".hlist",
    ),
)


def pages() -> list[str]:
    """Return the names of all pages; none where the package is not installed."""
    return sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.html"))


def compared(port: int, origin: str, topic: str, names: Sequence[str]) -> dict[str, Mapping[str, Tally]]:
    """Read pages through the daemon on a port, in a topic of their own, and compare each with its HTML."""
    with Client(port=port, start=False, timeout=60) as client:
        return {name: _compared(client, topic, name, f"{origin}/{name}") for name in names}


def _compared(client: Client, topic: str, name: str, uri: str) -> Mapping[str, Tally]:
    got = read(client, topic, uri)
    html = (FOLDER / name).read_text(encoding="utf-8")
    return compare(authored(html, uri, PLAN), shown(got.parts, uri, got.shortcuts))
