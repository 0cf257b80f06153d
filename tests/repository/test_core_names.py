"""The core names no topic type of a plugin, except for the protocol's default in one constant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.repository.tree import ROOT

CORE = ROOT / "core" / "stringd"
ROOMS = ("server", "client", "cli", "users", "text", "testing", "config.py")
# A topic of a built-in type, or the bare name of one; `file://` and `files` are no topics.
NAMED = re.compile(r"(?<![\w/.-])(?:file|web|app|bash|python|page):(?!//)[\w{]|\A(?:file|web|app|bash)\Z")
DEFAULT = (CORE / "text" / "topic_names.py", "file")


def modules() -> Iterator[Path]:
    for room in ROOMS:
        path = CORE / room
        yield from path.rglob("*.py") if path.is_dir() else (path,)


def texts(path: Path) -> Iterator[str]:
    """Yield every string of a module, docstrings included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


@pytest.mark.parametrize("path", sorted(modules()), ids=lambda it: str(it.relative_to(CORE)))
def test_core_names_no_topic_type_of_a_plugin(path: Path) -> None:
    named = [(path, text) for text in texts(path) if NAMED.search(text)]
    assert named == ([DEFAULT] if path == DEFAULT[0] else [])
