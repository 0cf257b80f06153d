"""The way of a command through the daemon, as `make trace` prints it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parents[2]


def trace(*words: str) -> str:
    """Run the tracing tool and return what it prints."""
    command = [sys.executable, "-m", "bench.trace", *words]
    return subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=50, check=True).stdout


def test_a_walk_has_figures_and_looks_the_user_up_once() -> None:
    printed = trace("/open a.md#x")
    answer, _, walk = printed.partition("event: done\ndata: {}\n\n")
    assert "The section X." in answer
    figures = re.match(
        r"(\d+) calls, (\d+) functions, (\d+) modules, (\d+) rooms, (\d+) changes of room\n\n", walk
    )
    assert figures
    calls, functions, modules, rooms, changes = map(int, figures.groups())
    stays = walk[figures.end() :].splitlines()
    assert calls >= functions > modules > rooms
    assert changes == len(stays) - 1
    assert {stay.partition(": ")[0] for stay in stays} >= {
        "stringd.server",
        "stringd.runtime",
        "stringd.commands",
    }
    assert re.findall(r"\buser_store\.Users\.get\b(?: ×\d+)?", walk) == ["user_store.Users.get"]


def test_commands_before_it_and_imports_are_left_out() -> None:
    walk = trace("--topic", "web:main", "--before", "/exec true", "/info")
    assert "stringd.commands: info." in walk
    assert "stringd.commands: exec." not in walk
    assert "<module>" not in walk
