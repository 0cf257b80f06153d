"""Reading and writing of text files, and refusal of other files."""

from __future__ import annotations

import errno
import os
import random
import resource
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from stringd.documents.paths.file_failures import LIMIT
from stringd.documents.paths.resolving import resolve
from stringd.documents.paths.text_files import read_if_there, read_text, write_text
from stringd.errors import Refusal
from stringd.files.atomic import stamp
from tests.documents.standing import standing
from tests.protocol.waits import eventually

TEXTS = ["", "a", "a\n", "a\r\nb\r\n", "a\rb", "\ufeffa\n", "日本 𝒞\n", "\x1b[0m\x0c\x85\u2028", "a\n\n\n"]
TEMPORARY = ".*.stringd-tmp"
WRITER = """
import sys
from pathlib import Path
from stringd.documents.paths.text_files import read_if_there, write_text
path = Path(sys.argv[1])
texts = ["a" * 3_000_000, "b" * 3_000_000]
write_text(path, texts[0], "x", replacing=read_if_there(path, "x"))
while True:
    write_text(path, texts[1], "x", replacing=texts[0])
    texts.reverse()
"""


NOBODY = 65534


@contextmanager
def anyone() -> Iterator[None]:
    """Act as a user to whom permissions apply."""
    if os.geteuid() != 0:
        yield
        return
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


@pytest.fixture
def shared() -> Iterator[Path]:
    """Return a directory in which anyone may write, below directories that anyone may enter."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(os.path.realpath(folder), "shared")
        Path(folder).chmod(0o777)
        with anyone():
            path.mkdir()
            path.chmod(0o777)
        yield path


def refusal(act: Callable[[], object]) -> Refusal:
    with pytest.raises(Refusal) as refused:
        act()
    return refused.value


def overwrite(path: Path, text: str, shown: str) -> int:
    return write_text(path, text, shown, replacing=read_if_there(path, shown))


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def inode(path: Path) -> int | None:
    return path.stat().st_ino if path.exists() else None


def is_another(path: Path, before: int | None) -> bool:
    return inode(path) not in {None, before}


@pytest.fixture
def narrow_umask() -> Iterator[None]:
    before = os.umask(0o077)
    yield
    os.umask(before)


@pytest.mark.parametrize("text", TEXTS)
def test_text_round_trips(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.md"
    assert overwrite(path, text, "a.md") == len(text.encode()) == path.stat().st_size
    assert path.read_bytes() == text.encode()
    assert read_text(path, "a.md") == text


def socket_at(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))


def circle_at(path: Path) -> None:
    path.symlink_to(path)


def huge_at(path: Path) -> None:
    path.write_bytes(b"a" * (LIMIT + 1))


def bytes_at(data: bytes) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        path.write_bytes(data)

    return make


NO_TEXT = [
    (Path.mkdir, "Is a directory: x"),
    (os.mkfifo, "Not a regular file: x"),
    (socket_at, "Not a regular file: x"),
    (circle_at, "Not a regular file: x"),
    (huge_at, "Larger than 10 MiB: x"),
    (bytes_at(b"\xff\xfea\0\1"), "Not a UTF-8 text file: x"),
    (bytes_at(b"caf\xe9\2"), "Not a UTF-8 text file: x"),
    (bytes_at(b"\xed\xa0\x80"), "Not a UTF-8 text file: x"),
    (bytes_at(b"a\0b"), "Not a text file, it contains NUL bytes: x"),
]


@pytest.mark.parametrize(("make", "said"), NO_TEXT)
def test_non_text_files_are_refused(tmp_path: Path, make: Callable[[Path], None], said: str) -> None:
    path = tmp_path / "a.md"
    make(path)
    before = stamp(path.lstat())
    for act in (lambda: read_text(path, "x"), lambda: overwrite(path, "new", "x")):
        refused = refusal(act)
        assert (refused.code, refused.message) == ("INVALID_TARGET", said)
    assert stamp(path.lstat()) == before


@pytest.mark.parametrize("path", ["/dev/null", "/dev/zero", "/dev/tty"])
def test_devices_are_refused_without_blocking(path: str) -> None:
    if not Path(path).exists():
        pytest.skip("not on this system")
    assert refusal(lambda: read_text(Path(path), "x")).code == "INVALID_TARGET"


@pytest.mark.parametrize("name", ["missing.md", "missing/x.md", "file.md/x.md"])
def test_missing_file_is_not_found(tmp_path: Path, name: str) -> None:
    (tmp_path / "file.md").touch()
    refused = refusal(lambda: read_text(tmp_path / name, "as typed"))
    assert (refused.code, refused.message) == ("NOT_FOUND", "File not found: as typed")


def test_largest_text(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    assert overwrite(path, "x" * LIMIT, "x") == LIMIT
    assert len(read_text(path, "x")) == LIMIT
    assert refusal(lambda: overwrite(path, "x" * (LIMIT + 1), "x")).message == "Larger than 10 MiB: x"
    assert path.stat().st_size == LIMIT


@pytest.mark.parametrize("text", ["a\0", "\ud800"])
def test_text_that_no_file_can_hold_is_refused(tmp_path: Path, text: str) -> None:
    assert refusal(lambda: overwrite(tmp_path / "a.md", text, "x")).code == "INVALID_PAYLOAD"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o755, 0o777])
def test_a_file_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a.md"
    path.touch()
    path.chmod(mode)
    overwrite(path, "new", "x")
    assert mode_of(path) == mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_file_keeps_its_owner_and_group(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.touch()
    os.chown(path, 12345, 23456)
    path.chmod(0o640)
    overwrite(path, "new", "x")
    assert (path.stat().st_uid, path.stat().st_gid, mode_of(path)) == (12345, 23456, 0o640)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a file that is someone else's")
def test_file_of_another_owner_is_written_in_place(shared: Path) -> None:
    path = shared / "a.md"
    path.touch()
    path.chmod(0o666)
    with anyone():
        overwrite(path, "new", "x")
    assert (path.read_bytes(), path.stat().st_uid, mode_of(path)) == (b"new", NOBODY, 0o666)


def test_unsyncable_directory_is_not_a_failure(shared: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The file has been written, so the edit has succeeded."""
    path = shared / "a.md"
    with anyone():
        overwrite(path, "old", "x")
        shared.chmod(0o333)
        assert overwrite(path, "new", "x") == 3
        shared.chmod(0o777)
    assert path.read_bytes() == b"new"
    assert [it.getMessage() for it in caplog.records] == [
        f"a file in {shared} was written, but could not be synced to disk: Permission denied"
    ]


def test_edit_breaks_a_hard_link(tmp_path: Path) -> None:
    """Atomic writes replace the file instead of writing it in place."""
    path, other = tmp_path / "a.md", tmp_path / "b.md"
    path.write_bytes(b"old")
    other.hardlink_to(path)
    overwrite(path, "new", "x")
    assert (path.read_bytes(), other.read_bytes()) == (b"new", b"old")


def test_new_file_has_default_mode(tmp_path: Path) -> None:
    overwrite(tmp_path / "a.md", "new", "x")
    assert mode_of(tmp_path / "a.md") == 0o644


@pytest.mark.usefixtures("narrow_umask")
def test_umask_applies_only_to_new_files(tmp_path: Path) -> None:
    (tmp_path / "old.md").touch()
    (tmp_path / "old.md").chmod(0o664)
    for name in ("old.md", "new.md"):
        overwrite(tmp_path / name, "new", "x")
    assert [mode_of(tmp_path / name) for name in ("old.md", "new.md")] == [0o664, 0o600]


def test_missing_parents_are_created(tmp_path: Path) -> None:
    path = tmp_path / "größe" / "b c" / "a.md"
    overwrite(path, "new", "x")
    assert path.read_bytes() == b"new"


def test_the_longest_name_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    overwrite(path, "old", "x")
    overwrite(path, "new", "x")
    assert [it.name for it in tmp_path.iterdir()] == [path.name]
    assert path.read_bytes() == b"new"


def test_inner_symlink_is_written_through(tmp_path: Path) -> None:
    real, link, new = tmp_path / "docs" / "a.md", tmp_path / "link.md", tmp_path / "new.md"
    real.parent.mkdir()
    real.write_bytes(b"old")
    link.symlink_to("docs/a.md")
    new.symlink_to("docs/b.md")
    for name in ("link.md", "new.md"):
        target = resolve(name, standing(tmp_path), full_access=False)
        overwrite(target.path, "new", target.typed)
    assert link.is_symlink()
    assert new.is_symlink()
    assert [(tmp_path / "docs" / name).read_bytes() for name in ("a.md", "b.md")] == [b"new", b"new"]


def test_file_swapped_for_a_symlink_is_refused(tmp_path: Path) -> None:
    """Paths are resolved before; a link created since then is not followed."""
    secret, path = tmp_path / "secret", tmp_path / "a.md"
    secret.write_bytes(b"secret")
    path.symlink_to(secret)
    assert refusal(lambda: read_text(path, "x")).code == "INVALID_TARGET"
    assert refusal(lambda: overwrite(path, "new", "x")).code == "INVALID_TARGET"
    assert secret.read_bytes() == b"secret"


def test_parent_that_is_not_a_directory(tmp_path: Path) -> None:
    (tmp_path / "file.md").write_bytes(b"old")
    refused = refusal(lambda: overwrite(tmp_path / "file.md" / "a.md", "new", "as typed"))
    assert (refused.code, refused.message) == ("WRITE_FAILED", "Cannot write as typed: Not a directory")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may do everything")
def test_permissions_are_respected(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"old")
    path.chmod(0o400)
    assert refusal(lambda: overwrite(path, "new", "x")).message == "Cannot write x: it is read-only"
    path.chmod(0)
    assert refusal(lambda: read_text(path, "x")).message == "Cannot read x: Permission denied"
    tmp_path.chmod(0o500)
    assert refusal(lambda: overwrite(tmp_path / "b.md", "new", "x")).code == "WRITE_FAILED"
    tmp_path.chmod(0o700)
    assert path.stat().st_size == 3


def test_full_disk_keeps_the_old_text(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        refused = refusal(lambda: overwrite(path, "x" * 2000, "x"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert refused.code == "WRITE_FAILED"
    assert refused.message == f"Cannot write x: {os.strerror(errno.EFBIG)}"
    assert [it.name for it in tmp_path.iterdir()] == ["a.md"]
    assert path.read_bytes() == b"old"


@pytest.mark.long
def test_killed_writer_leaves_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    chance = random.Random(1)
    leftovers = 0
    for _ in range(15):
        before = inode(path)
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)])
        try:
            eventually(partial(is_another, path, before))
            with pytest.raises(subprocess.TimeoutExpired):
                writer.wait(chance.uniform(0, 0.02))
        finally:
            writer.send_signal(signal.SIGKILL)
            writer.wait(10)
        text = read_text(path, "x")
        assert (len(text), len(set(text))) == (3_000_000, 1)
        left = list(tmp_path.glob(TEMPORARY))
        leftovers += len(left)
        assert set(tmp_path.iterdir()) == {path, *left}
    assert leftovers
    overwrite(tmp_path / "another.md", "new", "x")
    assert {it.name for it in tmp_path.iterdir()} == {"a.md", "another.md"}


def test_concurrent_writers_do_not_interfere(tmp_path: Path) -> None:
    started = threading.Barrier(4)

    def write(number: int) -> None:
        started.wait(10)
        for turn in range(60):
            assert overwrite(tmp_path / f"{number}.md", f"{turn}\n", "x")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert {it.name: it.read_bytes() for it in tmp_path.iterdir()} == {f"{n}.md": b"59\n" for n in range(4)}


def test_similar_names_are_not_cleaned_up(tmp_path: Path) -> None:
    names = [".directory.stringd-tmp", ".link.stringd-tmp"]
    (tmp_path / names[0]).mkdir()
    (tmp_path / names[1]).symlink_to("elsewhere")
    overwrite(tmp_path / "a.md", "new", "x")
    assert {it.name for it in tmp_path.iterdir()} == {*names, "a.md"}


@pytest.mark.parametrize("now", ["someone else's\n", None])
@pytest.mark.parametrize("expected", ["old\n", None])
def test_replace_requires_expected_content(tmp_path: Path, expected: str | None, now: str | None) -> None:
    path = tmp_path / "a.md"
    if now is not None:
        path.write_text(now, encoding="utf-8")
    if expected == now:
        assert write_text(path, "new", "a.md", replacing=expected) == 3
        return
    refused = refusal(lambda: write_text(path, "new", "a.md", replacing=expected))
    assert (refused.code, read_if_there(path, "a.md")) == ("CONFLICT", now)


@pytest.mark.parametrize("was_there", [False, True])
def test_last_moment_change_is_a_conflict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, was_there: bool
) -> None:
    path = tmp_path / "a.md"
    if was_there:
        path.write_text("old", encoding="utf-8")
    sync = os.fsync

    def sync_late(descriptor: int) -> None:
        sync(descriptor)
        path.write_text("someone else's", encoding="utf-8")

    monkeypatch.setattr(os, "fsync", sync_late)
    refused = refusal(lambda: write_text(path, "new", "x", replacing="old" if was_there else None))
    assert refused.code == "CONFLICT"
    assert path.read_text(encoding="utf-8") == "someone else's"
    assert not list(tmp_path.glob(TEMPORARY))
