"""Third-party subcommands of `stringd`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
