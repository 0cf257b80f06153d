"""Third-party subcommands of `stringd`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from stringd.cli.built_in import BUILT_IN
from stringd.config import Config
from stringd.extensions.discovery import installed_plugins
from stringd.extensions.registration import load_plugins
from stringd.testing.distributions import write_distribution
from tests.extensions.installation import SourceTree


def test_a_subcommand_runs_without_a_daemon(source_tree: SourceTree, tmp_path: Path) -> None:
    finished = source_tree.run("stringd", "--port", "3999", "hello", "--name", "Rose", cwd=tmp_path)
    assert (finished.returncode, finished.stdout) == (0, "Hello Rose, from port 3999\n")
    assert not list(tmp_path.iterdir())


def test_a_subcommand_is_listed_and_explained(source_tree: SourceTree, tmp_path: Path) -> None:
    listed = source_tree.run("stringd", "--help", cwd=tmp_path).stdout
    assert "    hello" in listed
    assert "Greet someone." in listed
    assert "whom to greet" in source_tree.run("stringd", "hello", "--help", cwd=tmp_path).stdout


def test_usage_error_of_a_subcommand_is_one_line(source_tree: SourceTree, tmp_path: Path) -> None:
    finished = source_tree.run("stringd", "hello", "--nam", "Rose", cwd=tmp_path)
    assert finished.returncode == 2
    assert finished.stderr == "stringd: unrecognized arguments: --nam Rose (see stringd --help)\n"


def test_a_fault_of_a_subcommand_is_one_line_and_its_exit_code(
    source_tree: SourceTree, tmp_path: Path
) -> None:
    finished = source_tree.run("stringd", "hello", "--name", "weed", cwd=tmp_path)
    assert (finished.returncode, finished.stderr) == (3, "stringd: nobody greets weeds\n")


def test_subcommand_needs_its_plugin(source_tree: SourceTree, tmp_path: Path) -> None:
    finished = source_tree.run("stringd", "--without", "garden-cli", "hello", cwd=tmp_path)
    assert finished.returncode == 2
    assert "invalid choice: 'hello'" in finished.stderr


MARKER = """
import os
from pathlib import Path
from stringd.plugin import CliCommand, hookimpl

Path(os.environ["MARKER"]).touch()

@hookimpl
def stringd_cli():
    return [CliCommand(name="mark", summary="Mark.", configure=lambda _: None, run=lambda _: 0)]
"""


IMPORTED = """
import contextlib
import sys

from stringd.cli.main import main

with contextlib.suppress(SystemExit):
    main()
print(*sorted({name.partition(".")[0] for name in sys.modules if name.startswith(("stringd_", "marker"))}))
"""
IMPORTS = {
    "audit": ["stringd_approval"],
    "check": ["stringd_app"],
    "cluster": ["stringd_cluster"],
    "console": ["stringd_console"],
    "mcp": ["stringd_app", "stringd_mcp"],
    "new": ["stringd_app"],
    "policy": ["stringd_approval"],
    "prompt": ["stringd_app", "stringd_mcp"],
    "request": ["stringd_approval"],
    "run": ["stringd_runs"],
    "runs": ["stringd_runs"],
    "token": ["stringd_cluster"],
}
"""The packages of plugins that each of their subcommands imports; `mcp` implements hooks of `app`."""


def test_every_subcommand_of_a_plugin_is_declared() -> None:
    added = load_plugins(Config()).catalogue
    declared = {it: plugin.name for plugin in installed_plugins() for it in plugin.subcommands}
    assert declared.keys() == IMPORTS.keys() == added.cli.keys() - {it.name for it in BUILT_IN}
    hooks = {it.name for it in added.hooks}
    assert {it for plugin in installed_plugins() for it in plugin.hooks} == hooks


@pytest.mark.parametrize("word", IMPORTS)
def test_a_subcommand_imports_only_its_plugin(word: str, tmp_path: Path) -> None:
    assert imported_by(word, "--help", folder=tmp_path) == IMPORTS[word]


def test_checking_a_document_imports_no_other_plugin(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Greetings\n\nGood morning.\n")
    assert imported_by("check", "a.md", folder=tmp_path) == ["stringd_app"]


def test_a_third_partys_declared_subcommand_imports_only_its_plugin(tmp_path: Path) -> None:
    points = {"stringd.plugins": {"marker": "marker"}, "stringd.subcommands": {"mark": "marker"}}
    folder = write_distribution(tmp_path / "marker", "z-marker", "1.0", points, {"marker": MARKER})
    environment = {"PYTHONPATH": str(folder), "MARKER": str(tmp_path / "imported")}
    assert imported_by("mark", folder=tmp_path, environment=environment) == ["marker"]


def imported_by(*words: str, folder: Path, environment: Mapping[str, str] | None = None) -> list[str]:
    """Return the packages of plugins that a subcommand imports."""
    neutral = {name: value for name, value in os.environ.items() if not name.startswith("STRINGD_")}
    command = [sys.executable, "-c", IMPORTED, *words]
    finished = subprocess.run(
        command,
        cwd=folder,
        env=neutral | dict(environment or {}),
        capture_output=True,
        text=True,
        timeout=50,
        check=True,
    )
    return finished.stdout.splitlines()[-1].split()


@pytest.mark.parametrize(
    ("arguments", "imported"),
    [
        ("status --help", False),
        ("users --help", False),
        ("sessions --help", False),
        ("exec --help", False),
        ("chanflow --help", False),
        ("--without web shutdown --help", False),
        ("new --help", False),
        ("mark", True),
        ("plugins", True),
    ],
)
def test_plugins_are_imported_only_where_needed(arguments: str, imported: bool, tmp_path: Path) -> None:
    points = {"stringd.plugins": {"marker": "marker"}}
    folder = write_distribution(tmp_path / "marker", "z-marker", "1.0", points, {"marker": MARKER})
    marker = tmp_path / "imported"
    env = {name: value for name, value in os.environ.items() if not name.startswith("STRINGD_")}
    env |= {"PYTHONPATH": str(folder), "MARKER": str(marker)}
    command = [sys.executable, "-X", "importtime", "-m", "stringd", *arguments.split()]
    finished = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=50, check=False
    )
    assert finished.returncode == 0, finished.stderr
    assert marker.exists() is imported
    if arguments not in {"new --help", "mark", "plugins"}:
        modules = {line.rpartition("|")[2].strip() for line in finished.stderr.splitlines()}
        assert "stringd.cli.built_in" in modules
        assert modules.isdisjoint({"pluggy", "stringd.plugin", "stringd_app", "stringd_web", "starlette"})
