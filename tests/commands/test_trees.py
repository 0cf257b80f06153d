"""`/ls --tree`: what is below a directory, in bounds."""

from __future__ import annotations

import os

import pytest

from stringd.testing.process import DaemonProcess
from tests.commands.test_editing import content, put


@pytest.fixture
def files(daemon: DaemonProcess) -> DaemonProcess:
    """Put a small project into the user's home."""
    for name in ("p/a.py", "p/src/b.py", "p/src/deep/c.py", "p/build/x.o", "p/.hidden/y", "p/z/.gitignore"):
        put(daemon, name, "1\n")
    put(daemon, "p/.gitignore", "build/\n")
    (daemon.home / "p/link").symlink_to("/etc")
    return daemon


@pytest.mark.requirement("ls.tree")
def test_tree_leaves_out_what_is_hidden_or_ignored(files: DaemonProcess) -> None:
    assert content(files, "/ls p --tree").splitlines() == [
        "Listing p/",
        "---",
        "src/",
        "  deep/",
        "    c.py  2 bytes",
        "  b.py  2 bytes",
        "z/",
        "a.py  2 bytes",
        "link@",
    ]
    everything = content(files, "/ls p --tree --all")
    assert all(it in everything for it in (".hidden/\n  y", "build/\n  x.o", ".gitignore"))


@pytest.mark.requirement("ls.tree")
def test_depth_is_bounded_by_an_option(files: DaemonProcess) -> None:
    assert "src/  (2 entries)\nz/\n" in content(files, "/ls p --tree --depth 1")
    assert "  deep/  (1 entry)\n" in content(files, "/ls p --depth=2")
    assert content(files, "/ls p --depth 0").startswith("ERROR(INVALID_PARAMS): --depth takes a number")
    assert content(files, "/ls p/a.py --tree").startswith("ERROR(INVALID_TARGET): Not a directory")
    assert content(files, "/ls q --tree").startswith("ERROR(NOT_FOUND)")
    assert content(files, "/ls /etc --tree").startswith("ERROR(FILE_NOT_ALLOWED)")


@pytest.mark.requirement("ls.tree")
def test_a_large_tree_shows_its_upper_levels(daemon: DaemonProcess) -> None:
    for outer in range(30):
        for inner in range(30):
            put(daemon, f"big/d{outer:02d}/f{inner:02d}", "")
    shown = content(daemon, "/ls big --tree").splitlines()[2:]
    assert len(shown) <= 500
    assert [it.partition("/")[0] for it in shown if not it.startswith(" ")] == [
        f"d{it:02d}" for it in range(30)
    ]
    assert "d29/  (30 entries)" in shown
    os.mkfifo(daemon.home / "big/pipe")
    assert "pipe  0 bytes" in content(daemon, "/ls big --tree")
