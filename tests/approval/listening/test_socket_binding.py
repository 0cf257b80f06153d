"""Where the socket is, what is in its way, and who may use it."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from stringd.approval import default_socket, request, socket_path
from stringd.plugin import Fault
from tests.approval.listening.fake_broker import FakeBroker, Listening
from tests.approval.requests import line

AS_NOBODY = """
import os, socket, sys
os.chdir(os.path.dirname(sys.argv[1]))
os.setuid(65534)
client = socket.socket(socket.AF_UNIX)
client.connect(os.path.basename(sys.argv[1]))
try:
    client.sendall(sys.argv[2].encode())
    print(client.recv(100))
except (BrokenPipeError, ConnectionResetError):
    print(b"")
"""


@pytest.fixture
def dead(tmp_path: Path) -> Path:
    """A socket whose process has ended."""
    path = tmp_path / "stringd" / "approval.sock"
    path.parent.mkdir()
    with socket.socket(socket.AF_UNIX) as gone:
        gone.bind(str(path))
        gone.listen()
    return path


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.requirement("approval.socket.private")
def test_socket_and_folder_are_private(listening: Listening) -> None:
    assert (mode_of(listening.path), mode_of(listening.path.parent)) == (0o600, 0o700)


@pytest.mark.requirement("approval.socket.private")
def test_an_own_folder_becomes_private(tmp_path: Path, broker: FakeBroker) -> None:
    (tmp_path / "stringd").mkdir(mode=0o755)
    with Listening(tmp_path / "stringd" / "approval.sock", broker) as listening:
        assert mode_of(listening.path.parent) == 0o700


def test_a_folder_of_the_user_is_left_as_it_is(tmp_path: Path, broker: FakeBroker) -> None:
    (tmp_path / "mine").mkdir(mode=0o755)
    with Listening(tmp_path / "mine" / "a.sock", broker, is_own_folder=False) as listening:
        assert mode_of(listening.path.parent) == 0o755
        assert mode_of(listening.path) == 0o600


def test_a_folder_in_which_others_may_write_is_refused(tmp_path: Path, broker: FakeBroker) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    with (
        pytest.raises(Fault, match="others may write"),
        Listening(tmp_path / "open" / "a.sock", broker, is_own_folder=False),
    ):
        pass


@pytest.mark.requirement("approval.socket.removed")
def test_it_is_removed_at_the_end(tmp_path: Path, broker: FakeBroker) -> None:
    with Listening(tmp_path / "approval.sock", broker) as listening:
        assert listening.path.is_socket()
    assert not listening.path.exists()


@pytest.mark.requirement("approval.socket.removed")
def test_a_socket_that_took_its_place_stays(tmp_path: Path, broker: FakeBroker) -> None:
    with Listening(tmp_path / "approval.sock", broker) as listening:
        listening.path.rename(tmp_path / "moved.sock")
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(str(listening.path))
    assert listening.path.is_socket()


@pytest.mark.requirement("approval.socket.dead")
def test_a_dead_socket_is_replaced(dead: Path, broker: FakeBroker) -> None:
    with Listening(dead, broker) as listening:
        assert listening.ask(line())["status"] == "ok"


@pytest.mark.requirement("approval.socket.live")
def test_a_living_socket_is_in_the_way(listening: Listening, broker: FakeBroker) -> None:
    with pytest.raises(Fault, match="already running"), Listening(listening.path, broker):
        pass
    assert listening.ask(line())["status"] == "ok"


@pytest.mark.requirement("approval.socket.live")
def test_a_living_socket_that_does_not_answer_is_in_the_way(dead: Path, broker: FakeBroker) -> None:
    dead.unlink()
    with socket.socket(socket.AF_UNIX) as full:
        full.bind(str(dead))
        full.listen(0)
        with socket.socket(socket.AF_UNIX) as first:
            first.connect(str(dead))
            with pytest.raises(Fault, match="already running"), Listening(dead, broker):
                pass
    assert dead.is_socket()


@pytest.mark.requirement("approval.socket.foreign")
@pytest.mark.parametrize("kind", ["file", "folder", "link", "link to a dead socket"])
def test_what_is_no_socket_is_not_removed(dead: Path, broker: FakeBroker, kind: str) -> None:
    path = dead.with_name("other.sock")
    match kind:
        case "file":
            path.write_text("mine", encoding="utf-8")
        case "folder":
            path.mkdir()
        case "link":
            path.symlink_to("nowhere")
        case _:
            path.symlink_to(dead)
    before = path.lstat()
    with pytest.raises(Fault, match="not a socket"), Listening(path, broker):
        pass
    assert path.lstat() == before
    assert dead.is_socket()


@pytest.mark.requirement("approval.socket.long")
@pytest.mark.parametrize("length", [107, 108, 109, 200, 1000])
def test_long_paths_work(tmp_path: Path, broker: FakeBroker, length: int) -> None:
    folder = tmp_path
    while len(str(folder / "approval.sock")) < length - 200:
        folder /= "d" * 150
    folder /= "d" * (length - len(str(folder / "approval.sock")) - 1)
    folder.mkdir(parents=True)
    path = folder / "approval.sock"
    assert len(str(path)) == length
    for _ in range(2):
        with Listening(path, broker):
            assert request([["true"]], path=path).ok
    assert not path.exists()


@pytest.mark.requirement("approval.socket.long")
def test_a_long_name_is_refused_clearly(tmp_path: Path, broker: FakeBroker) -> None:
    with pytest.raises(Fault, match="longer than"), Listening(tmp_path / ("n" * 108), broker):
        pass


@pytest.mark.requirement("approval.socket.peer")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_is_closed_without_a_byte(listening: Listening, broker: FakeBroker) -> None:
    listening.path.chmod(0o666)
    listening.path.parent.chmod(0o711)
    command = [sys.executable, "-c", AS_NOBODY, str(listening.path), line().decode()]
    done = subprocess.run(command, capture_output=True, check=True, timeout=20)
    assert done.stdout == b"b''\n"
    assert broker.requests.empty()
    assert listening.ask(line())["status"] == "ok"


@pytest.mark.requirement("approval.socket.place")
def test_the_runtime_directory_is_preferred(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STRINGD_APPROVAL_SOCKET", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert default_socket(Path("/data")) == tmp_path / "stringd" / "approval.sock"
    assert socket_path(Path("/data")) == tmp_path / "stringd" / "approval.sock"


@pytest.mark.requirement("approval.socket.place")
@pytest.mark.parametrize("value", ["", "relative", "/nowhere/at/all", "/dev/null"])
def test_otherwise_it_is_in_the_data_directory(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", value)
    assert default_socket(Path("/data")) == Path("/data/approval.sock")


def test_a_path_may_be_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRINGD_APPROVAL_SOCKET", "/run/a.sock")
    assert socket_path(Path("/data")) == Path("/run/a.sock")
