"""The core names no topic type, command or variable of a plugin; the protocol's default is one constant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.repository.tree import ROOT

CORE = ROOT / "core" / "stringd"
NAMED = re.compile(
    # A topic of a built-in type, or the bare name of one; `file://` and `files` are no topics.
    r"(?<![\w/.-])(?:file|web|app|bash|python|page):(?!//)[\w{]|\A(?:file|web|app|bash)\Z"
    # A command of the built-in plugins, as it is typed, and a variable that one of them reads.
    r"|(?<![\w/.*<])/(?:install|uninstall|interrupt|keys|kill|reset|wait)(?![\w/.])|STRINGD_(?:APP|BASH|BROWSER|WEB)"
)
SOCKET = "STRINGD_APPROVAL_SOCKET"
# Words that mean something else there: a shell in scripts, a modifier of placeholders, a line of `/info`. And
# the variable of the socket, in the client that agents import.
ALLOWED = {
    "approval.py": {SOCKET, f"Return where the socket of a daemon is: `{SOCKET}`, else the default place."},
    "actions/shell/analysis/data_flow.py": {"bash"},
    "actions/shell/analysis/programs.py": {"bash"},
    "actions/values/placeholders.py": {"file"},
    "commands/info.py": {"file"},
    "text/topic_names.py": {"file"},
}


def texts(path: Path) -> Iterator[str]:
    """Yield every string of a module, docstrings included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


@pytest.mark.parametrize("path", sorted(CORE.rglob("*.py")), ids=lambda it: str(it.relative_to(CORE)))
def test_nothing_of_a_plugin_is_named(path: Path) -> None:
    allowed = ALLOWED.get(path.relative_to(CORE).as_posix(), set())
    assert {it for it in texts(path) if NAMED.search(it)} == allowed


@pytest.mark.parametrize(
    "text",
    ["open app:name", "bash:{it}", "web", "type /install URL", "STRINGD_WEB_KEEP_COOKIES", "STRINGD_BASH"],
)
def test_a_name_would_be_found(text: str) -> None:
    assert NAMED.search(text)


@pytest.mark.parametrize("text", ["file:///x", "application", "webs", "pip install", "/usr/bin/install/x"])
def test_other_words_are_let_by(text: str) -> None:
    assert not NAMED.search(text)
