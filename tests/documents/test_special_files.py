"""Pipes, sockets and devices, for every command and at startup: a clear error in bounded time."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.storage.data_directory import StateFile
from stringd.testing.process import DaemonProcess

Start = Callable[..., DaemonProcess]
APP = "---\nname: {}\n---\n# App\n\n```act.say\nCLI echo said\n```\n"
PAGE = """# Page

[!include:in](X)

[!nav:menu](X)

```act.read
POST http://127.0.0.1:9/{f|file}
  f: string
```

```act.save
CLI printf mine
  f: string
```

```act.save.response
save: Response.body
to: {f}
```
"""


def pipe_at(path: Path) -> None:
    os.mkfifo(path)


def socket_at(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        here = os.open(path.parent, os.O_RDONLY)
        listener.bind(f"/proc/self/fd/{here}/{path.name}")
        os.close(here)


def link_to_pipe_at(path: Path) -> None:
    os.mkfifo(path.parent / f".pipe-{path.name}")
    path.symlink_to(f".pipe-{path.name}")


def zeros_at(path: Path) -> None:
    path.symlink_to("/dev/zero")


def terminal_at(path: Path) -> None:
    path.symlink_to("/dev/tty")


def log_at(path: Path) -> None:
    """A regular file by its mode, of which the reader waits for more."""
    path.symlink_to("/proc/kmsg")


def endless_at(path: Path) -> None:
    """A regular file by its mode, of no size and without an end."""
    path.symlink_to("/proc/self/pagemap")


REFUSED = {"INVALID_TARGET", "NOT_FOUND", "FILE_NOT_ALLOWED"}
SPECIAL = [pipe_at, socket_at, link_to_pipe_at, zeros_at, terminal_at]
ENDLESS = [log_at, endless_at]
Make = Callable[[Path], None]
COMMANDS = [
    "/open X",
    "/open X#block",
    "/edit X",
    "/edit X\nnew",
    "/edit X#block",
    "/write X\nnew",
    "/append X\nnew",
    "/replace X:L1\nnew",
    "/replace X\nold\n---\nnew",
    "/verify X#block",
    "/act.read --f X",
    "/act.save --f X",
    "/ls X",
    "/install X",
    "/install X --as x",
    "/install inside",
    "/install entry",
]


@pytest.fixture
def daemon(start_daemon: Start) -> DaemonProcess:
    """A daemon to which the whole disk is open."""
    daemon = start_daemon("--access", "full")
    daemon.register("default", daemon.home)
    return daemon


def prepare(home: Path, make: Make) -> None:
    """Put what is special wherever a command may come upon it."""
    (home / "page.md").write_text(PAGE.replace("X", "x.md"), encoding="utf-8")
    for name in ("inside", "entry", "packages/odd", "packages/marked", "packages/shaped/templates"):
        (home / name).mkdir(parents=True)
    for name in ("inside", "packages/marked", "packages/shaped"):
        (home / name / "string.md").write_text(APP.format(Path(name).name), encoding="utf-8")
    for name in ("x.md", "x.zip", "inside/x", "entry/string.md", "packages/odd/string.md"):
        make(home / name)
    make(home / "packages/marked/.stringd-package.json")
    make(home / "packages/shaped/templates/say.md.j2")


def kinds(home: Path) -> dict[str, tuple[int, int]]:
    return {str(it): (it.lstat().st_ino, stat.S_IFMT(it.lstat().st_mode)) for it in home.rglob("*")}


@pytest.mark.requirement("special.commands")
@pytest.mark.parametrize("make", [*SPECIAL, *ENDLESS])
def test_commands_answer_and_leave_special_files_alone(daemon: DaemonProcess, make: Make) -> None:
    prepare(daemon.home, make)
    before = kinds(daemon.home)
    page = daemon.exec("/open page.md")
    assert page.head["ok"]
    for command in COMMANDS:
        for name in ("x.md", "x.zip"):
            answer = daemon.exec(command.replace("X", name))
            assert answer.head["code"] in {"INVALID_TARGET", "INVALID_PARAMS", "WRITE_FAILED"} or (
                make in ENDLESS and command.startswith(("/open", "/act.read"))
            ), answer.content
    assert daemon.exec("/ls --all").head["ok"]
    assert kinds(daemon.home) == before


@pytest.mark.requirement("special.commands")
@pytest.mark.parametrize("make", SPECIAL)
def test_special_file_in_an_app_does_not_block(daemon: DaemonProcess, make: Make) -> None:
    prepare(daemon.home, make)
    assert daemon.exec("/open app:odd", "app:odd").head["code"] in REFUSED
    assert daemon.exec("/open app:marked", "app:marked").head["ok"]
    assert daemon.exec("/open app:shaped", "app:shaped").head["ok"]
    assert daemon.exec("/act.say", "app:shaped").head["code"] in REFUSED
    assert daemon.exec("/uninstall odd").head["ok"]


@pytest.mark.requirement("special.commands")
def test_several_pipes_do_not_block_other_topics(daemon: DaemonProcess) -> None:
    prepare(daemon.home, pipe_at)
    for number in range(12):
        assert daemon.exec("/install x.md", f"file:t{number}").head["code"] == "INVALID_TARGET"
    assert daemon.exec("/write new.md\ntext").head["ok"]


@pytest.mark.requirement("special.commands")
def test_edited_file_replaced_by_a_pipe_is_not_reverted(daemon: DaemonProcess) -> None:
    daemon.exec("/write note.md\none")
    daemon.exec("/open note.md")
    (daemon.home / "note.md").unlink()
    pipe_at(daemon.home / "note.md")
    for command in ("/undo", "/undo --force", "/refresh", "/source", "/edit :L1"):
        assert daemon.exec(command).head["code"] == "INVALID_TARGET"
    assert stat.S_ISFIFO((daemon.home / "note.md").lstat().st_mode)


STATE = ["users.json", "secrets.json", "sessions.db", "undo.db", "sessions.db-wal", "undo.db-journal"]


@pytest.mark.requirement("special.start", "special.aside")
@pytest.mark.parametrize("name", STATE)
def test_symlink_to_a_pipe_is_moved_aside_instead_of_its_target(
    start_daemon: Start, tmp_path: Path, name: str
) -> None:
    """Matters as root, who could rename the device itself."""
    data, target = tmp_path / "data", tmp_path / "elsewhere"
    data.mkdir(mode=0o700)
    os.mkfifo(target)
    (data / name).symlink_to(target)
    daemon = start_daemon(data_dir=data)
    assert daemon.register().status == 200
    assert daemon.exec("/write a.md\ntext").head["ok"]
    (kept,) = data.glob(f"{name}.broken-*")
    assert (kept.is_symlink(), stat.S_ISFIFO(target.lstat().st_mode)) == (True, True)
    assert [it.name for it in tmp_path.iterdir() if it.name.startswith("elsewhere")] == ["elsewhere"]
    assert f"it is kept as {kept}" in daemon.stderr()


@pytest.mark.requirement("special.start", "special.aside")
@pytest.mark.parametrize("name", STATE)
def test_pipe_as_state_file_is_fatal(start_daemon: Start, tmp_path: Path, name: str) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    os.mkfifo(data / name)
    daemon = start_daemon(data_dir=data, ready=False)
    assert daemon.process.wait(60) == 1
    assert daemon.stderr().endswith(f"stringd: cannot use {data / name}: it is a named pipe, not a file\n")
    assert stat.S_ISFIFO((data / name).lstat().st_mode)


@pytest.mark.requirement("special.start", "special.aside")
@pytest.mark.parametrize("part", ["-wal", "-shm", "-journal"])
def test_journal_beside_a_linked_database_is_checked(start_daemon: Start, tmp_path: Path, part: str) -> None:
    data, kept, pipe = tmp_path / "data", tmp_path / "kept.db", tmp_path / "pipe"
    data.mkdir(mode=0o700)
    (data / "sessions.db").symlink_to(kept)
    os.mkfifo(pipe)
    (tmp_path / f"kept.db{part}").symlink_to(pipe)
    daemon = start_daemon(data_dir=data)
    (aside,) = tmp_path.glob(f"kept.db{part}.broken-*")
    assert (aside.is_symlink(), stat.S_ISFIFO(pipe.lstat().st_mode)) == (True, True)
    assert f"it is kept as {aside}" in daemon.stderr()


@pytest.mark.requirement("special.running")
@pytest.mark.parametrize("is_linked", [True, False])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_special_file_in_place_of_a_state_file_is_not_replaced(
    daemon: DaemonProcess, tmp_path: Path, make: Make, is_linked: bool
) -> None:
    """Matters as root, who could replace the device behind a link."""
    users, target = daemon.data_dir / "users.json", tmp_path / "elsewhere"
    users.unlink()
    if is_linked:
        users.symlink_to(target)
    else:
        target = users
    make(target)
    before = target.lstat()
    refused = daemon.register("ann")
    assert (refused.status, "not a file" in refused.text) == (500, True)
    assert (target.lstat().st_ino, target.lstat().st_mode) == (before.st_ino, before.st_mode)
    assert daemon.register("default", daemon.home).status == 200


@pytest.mark.requirement("special.start")
def test_oversized_state_file_is_refused(tmp_path: Path) -> None:
    """A sparse file of a terabyte."""
    path = tmp_path / "users.json"
    with path.open("wb") as file:
        os.truncate(file.fileno(), 2**40)
    with pytest.raises(OSError, match="larger than"):
        StateFile(path).read()
