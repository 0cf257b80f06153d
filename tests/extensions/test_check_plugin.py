"""`stringd check` on a plugin: everything that it adds, and the traceback of everything that fails."""

from __future__ import annotations

from pathlib import Path

from tests.programs import run_stringd

GOOD = """
from tests.programs import run_stringd
from stringd.plugin import Command, Observer, Reply, hookimpl

async def run(invocation):
    return Reply.confirmation("done")

@hookimpl
def stringd_commands():
    return [Command(name="one", summary="Do.", usage="/one", run=run)]

@hookimpl
def stringd_observers():
    return [Observer(name="watch", on_event=print)]
"""
TWO_FAILURES = """
from stringd.plugin import Command, hookimpl

def helper():
    raise StopIteration("no more")

@hookimpl
def stringd_commands():
    helper()

@hookimpl
def stringd_observers():
    return []

@hookimpl
def stringd_routes(runtime):
    return [1 / 0]
"""
PROJECT = """
[project]
name = "stringd-Pair"
version = "0.3"

[project.entry-points."stringd.plugins"]
first = "pair_first"
second = "pair.second:PLUGIN"
"""


def check(path: Path) -> tuple[int, str]:
    """The exit code and what is printed."""
    finished = run_stringd("check", str(path), folder=path.parent)
    return finished.returncode, finished.stdout + finished.stderr


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_additions_of_a_file_are_printed(tmp_path: Path) -> None:
    path = write(tmp_path / "good.py", GOOD)
    lines = f"good ({path})\n    adds command /one\n    adds observer watch\n1 plugin, 0 failing\n"
    assert check(path) == (0, lines)


def test_each_failing_hook_has_its_traceback(tmp_path: Path) -> None:
    path = write(tmp_path / "bad.py", TWO_FAILURES)
    code, said = check(path)
    assert code == 1
    assert "    skipped: stringd_commands failed: StopIteration: no more" in said
    assert f'\nTraceback (most recent call last):\n  File "{path}", line 9, in stringd_commands' in said
    assert f'File "{path}", line 5, in helper' in said
    assert f'File "{path}", line 17, in stringd_routes' in said
    assert "ZeroDivisionError: division by zero" in said
    assert said.count("Traceback (most recent call last)") == 2
    assert said.endswith("\n1 plugin, 1 failing\n")


def test_an_import_that_fails_has_its_traceback(tmp_path: Path) -> None:
    path = write(tmp_path / "bad.py", "\nimport a_module_that_nobody_has\n")
    code, said = check(path)
    assert code == 1
    assert f'  File "{path}", line 2, in <module>\n' in said
    syntax = write(tmp_path / "worse.py", "\n\ndef (:\n")
    assert f'File "{syntax}", line 3' in check(syntax)[1]


def test_a_distribution_is_checked_without_being_installed(tmp_path: Path) -> None:
    folder = tmp_path / "pair"
    write(folder / "pyproject.toml", PROJECT)
    write(folder / "src" / "pair_first.py", GOOD)
    write(folder / "pair" / "__init__.py", "")
    write(folder / "pair" / "second.py", "PLUGIN = 1 / 0\n")
    code, said = check(folder)
    assert code == 1
    assert said.startswith("first (stringd-pair 0.3)\n    adds command /one\n    adds observer watch\n")
    assert "second (stringd-pair 0.3)\n    skipped: import failed" in said
    assert f'File "{folder / "pair" / "second.py"}", line 1' in said
    assert said.endswith("\n2 plugins, 1 failing\n")


def test_clash_with_another_plugin_is_reported(tmp_path: Path) -> None:
    path = write(tmp_path / "clash.py", GOOD.replace('"one"', '"open"'))
    code, said = check(path)
    assert code == 1
    assert f"command /open of clash ({path}) is already added by commands (stringd " in said


def test_directory_without_plugins_is_a_usage_error(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[project]\nname = 'x'\n")
    assert check(tmp_path)[0] == 2
    write(tmp_path / "pyproject.toml", "[project\n")
    code, said = check(tmp_path)
    assert (code, len(said.splitlines())) == (2, 1)
