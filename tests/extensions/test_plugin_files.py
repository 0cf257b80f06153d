"""Single-file plugins: `--plugins ./x.py`, `--plugins-dir DIR` and their variables, in a real daemon."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.ports import free_port
from tests.programs import run_stringd

Start = Callable[..., DaemonProcess]
COMMAND = '''
"""A command."""
from __future__ import annotations
from dataclasses import dataclass
from stringd.plugin import Command, Invocation, Reply, hookimpl

@dataclass(frozen=True, slots=True, kw_only=True)
class Greeting:
    text: str

async def run(invocation: Invocation) -> Reply:
    return Reply.confirmation(Greeting(text="WORD").text)

@hookimpl
def stringd_commands():
    return [Command(name="WORD", summary="Say it.", usage="/WORD", run=run)]
'''
RENDERER = """
from stringd.plugin import Document, Renderer, Loader, LoadedBytes, hookimpl

async def load(request):
    return LoadedBytes(uri=request.uri, media_type="text/x-large", body=b"x" * 100_000)

def render(loaded):
    return Document(uri=loaded.uri, title="Large", text=f"{len(loaded.body)} bytes")

@hookimpl
def stringd_loaders():
    return [Loader(schemes=("large",), load=load)]

@hookimpl
def stringd_renderers():
    return [Renderer(media_types=("text/x-large",), render=render)]
"""


def write(folder: Path, name: str, source: str | None = None) -> Path:
    path = folder / f"{name}.py"
    path.write_text(source or COMMAND.replace("WORD", name), encoding="utf-8")
    return path


def stringd(cwd: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run `stringd` to its end."""
    return run_stringd(*args, folder=cwd, env=env)


def reports(cwd: Path, *args: str, **env: str) -> dict[str, dict[str, Any]]:
    finished = stringd(cwd, *args, "plugins", "--json", **env)
    assert finished.returncode == 0, finished.stderr
    return {it["name"]: it for it in json.loads(finished.stdout) if it["distribution"] != "stringd"}


def test_plugins_from_a_file_and_a_directory(tmp_path: Path, start_daemon: Start) -> None:
    write(tmp_path, "one")
    folder = tmp_path / "more"
    folder.mkdir()
    write(folder, "two")
    write(folder, "three")
    write(folder, "_helper", "raise SystemExit('not a plugin')")
    daemon = start_daemon("--plugins", str(tmp_path / "one.py"), "--plugins-dir", str(folder))
    daemon.register("default", daemon.home)
    assert [daemon.exec(f"/{it}").content for it in ("one", "two", "three")] == [
        "re: /one\none",
        "re: /two\ntwo",
        "re: /three\nthree",
    ]


def test_paths_are_relative_to_the_working_directory(tmp_path: Path) -> None:
    write(tmp_path, "one")
    listed = stringd(tmp_path, "--plugins", "./one.py", "plugins").stdout
    assert f"one ({tmp_path / 'one.py'})\n    adds: command /one\n" in listed
    assert reports(tmp_path, "--plugins", "one.py").keys() == {"one"}
    assert reports(tmp_path, STRINGD_PLUGINS="one.py").keys() == {"one"}
    assert "one" in reports(tmp_path, STRINGD_PLUGINS_DIR=".")


def test_failing_file_is_skipped_unless_named(tmp_path: Path) -> None:
    broken = write(tmp_path, "broken", "1 / 0\n")
    write(tmp_path, "one")
    listed = reports(tmp_path, "--plugins-dir", ".")
    assert listed["one"]["adds"] == ["command /one"]
    assert "ZeroDivisionError: division by zero" in listed["broken"]["skipped"]
    refused = stringd(tmp_path, "--plugins", "./broken.py", "plugins")
    assert refused.returncode == 1
    assert refused.stderr.startswith(f"stringd: plugin broken ({broken}) can't be loaded: import failed")


def test_name_clash_names_the_file(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    first, second = write(tmp_path, "one"), write(other, "zwei", COMMAND.replace("WORD", "one"))
    listed = reports(tmp_path, "--plugins", str(first), "--plugins-dir", str(other))
    assert listed["zwei"]["skipped"] == (f"command /one of zwei ({second}) is already added by one ({first})")
    web = reports(tmp_path, "--plugins-dir", str(write(other, "web").parent))["web"]["skipped"]
    assert web.startswith("the name web is taken by web (stringd ")


def test_without_excludes_a_file_of_the_directory(tmp_path: Path) -> None:
    write(tmp_path, "one")
    write(tmp_path, "two")
    assert "one" not in reports(tmp_path, "--plugins-dir", ".", "--without", "one")


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--plugins", "./gone.py", "no such plugin file: {}/gone.py"),
        ("--plugins", "gone.py", "no such plugin file: {}/gone.py"),
        ("--plugins-dir", "gone", "no such directory of plugins: {}/gone"),
        ("--plugins", "gone", "unknown plugin: gone ("),
    ],
)
def test_missing_path_is_a_usage_error(tmp_path: Path, option: str, value: str, message: str) -> None:
    refused = stringd(tmp_path, option, value, "plugins")
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"stringd: {message.format(tmp_path)}")


def test_renderer_of_a_file_handles_large_bodies(tmp_path: Path, start_daemon: Start) -> None:
    daemon = start_daemon("--plugins", str(write(tmp_path, "large", RENDERER)))
    daemon.register("default", daemon.home)
    assert daemon.exec("/open large:it").content.endswith("\n100000 bytes")


def test_daemon_started_by_string_finds_the_same_files(tmp_path: Path) -> None:
    write(tmp_path, "one")
    env = {"HOME": str(tmp_path), "STRINGD_PORT": str(free_port()), "STRINGD_PLUGINS": "./one.py"}
    environment = {**os.environ, **env}
    try:
        said = subprocess.run(
            [sys.executable, "-m", "stringd", "exec", "file:main", "/one"],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        assert said.stdout == "one\n", said.stderr
    finally:
        stringd(tmp_path, "shutdown", **env)
