"""Files in directories that the daemon may not search: a clear refusal from every command."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.daemon_pool import DaemonPool

# To root, permissions apply only without the capabilities to pass over them.
_POWERLESS = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")
DENIED = "ERROR(INVALID_TARGET): Cannot read {}: Permission denied"


def powerless() -> tuple[str, ...]:
    """Return what to put before a program so that permissions apply to it."""
    if os.geteuid() != 0:
        return ()
    if not shutil.which("setpriv") or subprocess.run([*_POWERLESS, "true"], check=False).returncode:
        pytest.skip("root can't give up its power here")
    return _POWERLESS


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonPool]:
    program = (*powerless(), sys.executable, "-m", "stringd")
    pool = DaemonPool(tmp_path_factory.mktemp("powerless"), program=program)
    yield pool
    pool.close()


@pytest.fixture
def barred(pool: DaemonPool, tmp_path: Path) -> Iterator[DaemonProcess]:
    """A daemon that may not look into its user's directory `nodir`."""
    daemon = pool.acquire(tmp_path)
    closed = daemon.home / "nodir"
    closed.mkdir()
    (closed / "x.md").write_text("# X\n", encoding="utf-8")
    (daemon.home / "page.md").write_text("[@n N](nodir/x.md)\n\n[!nav:m](m.md)\n", encoding="utf-8")
    (daemon.home / "m.md").write_text("[@x X](nodir/x.md)\n", encoding="utf-8")
    closed.chmod(0)
    yield daemon
    closed.chmod(0o700)
    pool.release(daemon)


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("/open nodir/x.md", "nodir/x.md"),
        ("/open nodir/y#z", "nodir/y#z"),
        ("/open nodir/sub/", "nodir/sub/"),
        ("/open @n", "nodir/x.md"),
        ("/open @m.x", "nodir/x.md"),
        ("/edit nodir/x.md", "nodir/x.md"),
        ("/edit nodir/x.md#x", "nodir/x.md"),
        ("/write nodir/x.md\ntext", "nodir/x.md"),
        ("/append nodir/x.md\ntext", "nodir/x.md"),
        ("/verify nodir/x.md#x", "nodir/x.md"),
    ],
)
def test_unreachable_file_is_refused(barred: DaemonProcess, command: str, named: str) -> None:
    assert barred.exec("/open page.md").head["ok"]
    assert barred.exec("/nav m").head["ok"]
    assert barred.exec(command).content.partition("\n")[2] == DENIED.format(named)


@pytest.mark.parametrize("path", ["nodir", "nodir/sub"])
def test_unlistable_directory_is_refused(barred: DaemonProcess, path: str) -> None:
    answer = barred.exec(f"/ls {path}").content.partition("\n")[2]
    assert answer == f"ERROR(INVALID_TARGET): Cannot list {path}: Permission denied"


def test_directory_that_becomes_unsearchable(barred: DaemonProcess) -> None:
    (barred.home / "nodir").chmod(0o700)
    (barred.home / "nodir" / "sub").mkdir()
    assert barred.exec("/open nodir/sub").head["ok"]
    (barred.home / "nodir").chmod(0)
    for command in ("/exec true", "/info", "/ls", "/open x.md"):
        assert barred.exec(command).head["code"] != "INTERNAL_ERROR"
