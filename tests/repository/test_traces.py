"""The repository contains no traces of the machine it was made on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.repository.tree import ROOT, files

if TYPE_CHECKING:
    from pathlib import Path

# Written apart, so that this file holds no trace itself.
TRACES = {
    "a package registry's address": re.compile(
        "|".join(["pythonhosted" + r"\.org", "pypi" + r"\.org", "index" + "-url"])
    ),
    "a path of one machine": re.compile(r"(?<![\w.~}-])/(?:work|opt|root|tmp/bri" + r"ef)/"),
}


def text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8", errors="replace")


@pytest.mark.parametrize("kind", TRACES)
def test_files_hold_no_traces_of_the_build_machine(kind: str) -> None:
    found = {str(path.relative_to(ROOT)): TRACES[kind].search(text_of(path)) for path in files()}
    assert {name: hit[0] for name, hit in found.items() if hit} == {}


def test_no_lock_files() -> None:
    assert [
        path for path in files() if path.name in {"uv" + ".lock", "poetry.lock", "pdm.lock", "Pipfile.lock"}
    ] == []
