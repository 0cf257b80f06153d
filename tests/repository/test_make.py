"""`make` installs only when necessary, and reports missing requirements in one line."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.repository.tree import ROOT

if TYPE_CHECKING:
    from pathlib import Path

FRAME = ["Makefile", "pyproject.toml", "constraints.txt"]
STAMP = ".venv/stamps/run"

pytestmark = pytest.mark.skipif(not shutil.which("make"), reason="this machine has no make")


@pytest.fixture
def frame(tmp_path: Path) -> Path:
    """A copy of what make looks at, with everything installed a moment ago."""
    for name in FRAME:
        shutil.copy(ROOT / name, tmp_path)
        os.utime(tmp_path / name, (1000, 1000))
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    (tmp_path / STAMP).parent.mkdir(parents=True)
    (tmp_path / STAMP).touch()
    return tmp_path


def make(folder: Path, *arguments: str, python: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name not in {"PYTHON", "MAKEFLAGS"}}
    if python:
        environment["PYTHON"] = python
    command = ["make", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", timeout=20, check=False
    )


def program(folder: Path, name: str, text: str) -> str:
    """A small program that stands for an interpreter."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def test_second_run_does_not_install(frame: Path) -> None:
    assert ".ci/install" not in make(frame, "--dry-run", "run").stdout


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_changed_requirements_reinstall(frame: Path, name: str) -> None:
    (frame / name).touch()
    os.utime(frame / STAMP, (2000, 2000))
    assert ".ci/install run" in make(frame, "--dry-run", "run").stdout


def test_chosen_interpreter_triggers_install(frame: Path) -> None:
    assert ".ci/install run" in make(frame, "--dry-run", "run", python="python3.12").stdout


def test_run_prints_next_commands(frame: Path) -> None:
    told = make(frame, "--dry-run", "run").stdout
    assert "/bin/string file:main /help" in told
    assert "curl -s http://127.0.0.1:" in told


@pytest.mark.parametrize(
    ("arguments", "port"), [([], "3100"), (["STRINGD_PORT=4000"], "4000"), (["ARGS=--data-dir x"], "3100")]
)
def test_run_prints_the_port(frame: Path, arguments: list[str], port: str) -> None:
    told = make(frame, "--dry-run", "run", *arguments).stdout
    assert f"curl -s http://127.0.0.1:{port}/health" in told
    assert "PORT" not in told


@pytest.mark.parametrize("argument", ["ARGS=--port 0", "ARGS=--port=4000", "STRINGD_PORT=0"])
def test_run_prints_a_placeholder_for_an_unknown_port(frame: Path, argument: str) -> None:
    told = make(frame, "--dry-run", "run", argument).stdout
    assert "curl -s http://127.0.0.1:PORT/health" in told
    assert "STRINGD_PORT=PORT .venv/bin/string file:main /help" in told
    assert "PORT is the one that the daemon names below." in told


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("exit 127", "does not run"),
        ('case "$2" in *exit*) exit 1;; *) echo 3.9;; esac', "is 3.9"),
        (
            f'case "$2" in *ensurepip*) exit 1;; *) exec {sys.executable} "$@";; esac',
            "apt install python3-venv",
        ),
    ],
    ids=["no Python", "an old Python", "no ensurepip"],
)
def test_missing_requirement_is_a_one_line_error(frame: Path, text: str, complaint: str) -> None:
    (frame / STAMP).unlink()
    outcome = make(frame, "run", python=program(frame, "python", text))
    said = [line for line in outcome.stderr.splitlines() if not line.startswith("make")]
    assert outcome.returncode != 0
    assert len(said) == 1
    assert complaint in said[0]
    assert not (frame / STAMP).exists()


def test_make_without_target_lists_targets(frame: Path) -> None:
    assert "make test" in make(frame).stdout
