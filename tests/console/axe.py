"""The accessibility rules of axe-core, applied to a page in the browser."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from tests.console.chromium import Tab
from tests.npm_packages import BUILD, fetched_package

_PACKAGE, _FILE = "axe-core@4.14.1", "axe.min.js"
_RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")


def violations(tab: Tab) -> list[str]:
    """Return a line for each element of the page that breaks a rule."""
    tab.run(f"{_source()}; true")
    options = json.dumps({"runOnly": {"type": "tag", "values": _RULES}, "resultTypes": ["violations"]})
    found: list[dict[str, Any]] = tab.run(f"axe.run(document, {options}).then((it) => it.violations)")
    return [
        f"{rule['id']} ({rule['impact']}): {node['html'][:160]} — {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"]
    ]


@lru_cache(maxsize=1)
def _source() -> str:
    folder = fetched_package(BUILD / "axe", _PACKAGE, [_FILE])
    return (folder / _FILE).read_text(encoding="utf-8")
