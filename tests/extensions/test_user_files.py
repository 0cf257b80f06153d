"""`UserFiles`: commands of plugins can only access files within the boundary of their user."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess

PLUGIN = """
from stringd.plugin import Command, Reply, hookimpl
from stringd.plugin.files import UserFiles

async def upper(invocation):
    files = UserFiles(invocation)
    source, _, target = invocation.line.arguments.partition(" ")
    path = await files.write_text(target, (await files.read_text(source)).upper())
    return Reply.confirmation(f"{files.shown(path)} {len(await files.read_bytes(target))}")

@hookimpl
def stringd_commands():
    return [Command(name="upper", summary="Copy.", usage="/upper from to", run=upper)]
"""
Start = Callable[..., DaemonProcess]


@pytest.fixture
def start(start_daemon: Start, tmp_path: Path) -> Start:
    plugin = tmp_path / "upper.py"
    plugin.write_text(PLUGIN, encoding="utf-8")

    def started(*args: str) -> DaemonProcess:
        daemon = start_daemon("--plugins", str(plugin), *args)
        daemon.register("default", daemon.home)
        (daemon.home / "a.txt").write_text("abc\n", encoding="utf-8")
        return daemon

    return started


def test_reads_and_writes_only_inside_the_boundary(start: Start, tmp_path: Path) -> None:
    daemon = start()
    assert daemon.exec("/upper a.txt new/b.txt").content.endswith("\nnew/b.txt 4")
    assert (daemon.home / "new" / "b.txt").read_text(encoding="utf-8") == "ABC\n"
    outside = tmp_path / "secret.txt"
    outside.write_text("secret", encoding="utf-8")
    (daemon.home / "link.txt").symlink_to(outside)
    for typed in (str(outside), "link.txt", f"../../{outside.name}"):
        assert daemon.exec(f"/upper {typed} b.txt").head["code"] == "FILE_NOT_ALLOWED"
        assert daemon.exec(f"/upper a.txt {typed}").head["code"] == "FILE_NOT_ALLOWED"
    assert outside.read_text(encoding="utf-8") == "secret"
    assert daemon.exec("/upper gone.txt b.txt").head["code"] == "NOT_FOUND"
    assert daemon.exec("/upper a.txt#block b.txt").head["code"] == "INVALID_TARGET"
    assert not (daemon.home / "b.txt").exists()


def test_full_access_has_no_boundary(start: Start, tmp_path: Path) -> None:
    daemon = start("--access", "full")
    target = tmp_path / "outside.txt"
    assert daemon.exec(f"/upper a.txt {target}").head["ok"]
    assert target.read_text(encoding="utf-8") == "ABC\n"


def test_relative_paths_start_at_the_topic_location(start: Start) -> None:
    daemon = start()
    (daemon.home / "sub").mkdir()
    assert daemon.exec("/open sub").head["ok"]
    assert daemon.exec("/upper ../a.txt b.txt").content.endswith("\nsub/b.txt 4")
