"""The calls of a command through the daemon, as printed by `make trace`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
FIGURES = (
    r"(\d+) calls, (\d+) functions, (\d+) modules, (\d+) rooms, (\d+) changes of room, "
    r"(\d+) without those to the vocabulary\n"
)
# The most changes of room that are accepted, with and without those to the vocabulary.
LONGEST = {"document": (46, 25), "action": (88, 48), "page": (106, 58)}


def run(module: str, *words: str) -> str:
    """Run a module of the bench and return what it prints."""
    command = [sys.executable, "-m", module, *words]
    return subprocess.run(
        command, cwd=PROJECT, capture_output=True, text=True, timeout=100, check=True
    ).stdout


def trace(*words: str) -> str:
    """Run the tracing tool and return what it prints."""
    return run("bench.trace", *words)


def test_a_walk_has_figures_and_looks_the_user_up_once() -> None:
    printed = trace("/open a.md#x")
    answer, _, walk = printed.partition("event: done\ndata: {}\n\n")
    assert "The section X." in answer
    figures = re.match(rf"{FIGURES}\n", walk)
    assert figures
    calls, functions, modules, rooms, changes, moves = map(int, figures.groups())
    stays = walk[figures.end() :].splitlines()
    assert calls >= functions > modules > rooms
    assert changes > moves > rooms
    assert changes == len(stays) - 1
    assert {stay.partition(": ")[0] for stay in stays} >= {
        "stringd.server",
        "stringd.runtime",
        "stringd.commands",
    }
    assert re.findall(r"\bRegisteredUsers\.get\b(?: ×\d+)?", walk) == ["RegisteredUsers.get"]


@pytest.mark.long
def test_earlier_commands_and_imports_are_excluded() -> None:
    walk = trace("--topic", "web:main", "--before", "/exec true", "/info")
    assert "stringd.commands: info." in walk
    assert "stringd.commands: exec." not in walk
    assert "<module>" not in walk


@pytest.mark.long
@pytest.mark.timeout(120)
def test_commands_change_rooms_rarely() -> None:
    printed = run("bench.walks")
    found = {name: tuple(map(int, it[-2:])) for name, *it in re.findall(rf"(\w+): {FIGURES}", printed)}
    assert found.keys() == LONGEST.keys()
    for name, longest in LONGEST.items():
        assert found[name] <= longest, printed
        assert found[name][1] <= longest[1], printed


@pytest.mark.long
@pytest.mark.timeout(120)
def test_an_app_is_looked_up_once_a_command(tmp_path: Path) -> None:
    app = tmp_path / "packages" / "sums"
    app.mkdir(parents=True)
    (app / "string.md").write_text("---\nname: sums\n---\n# Sums\n", encoding="utf-8")
    for cmd in ("/info", '/set $KEY = "x"'):
        walk = trace("--topic", "app:sums", "--home", str(tmp_path), cmd)
        assert re.findall(r"\bfind_app\b(?: ×\d+)?", walk) == ["find_app"], walk
