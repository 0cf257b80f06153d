"""The file of the log: what is refused, what a failure leaves, and how the chain goes on."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from stringd.cli.main import main
from stringd_approval.audit.audit_log import AuditLog
from stringd_approval.audit.audit_log_file import AuditFailed
from stringd_approval.audit.log_reader import read_log
from stringd_approval.audit.tampering import Tampering
from stringd_approval.audit.verification import Verified, verify

FILE = "audit.jsonl"
T = TypeVar("T")


def using(data_dir: Path, work: Callable[[AuditLog], Awaitable[T]], *, largest: int = 10**6) -> T:
    """Run a coroutine with a log, and close it."""

    async def run() -> T:
        log = AuditLog(data_dir, largest=largest)
        try:
            return await work(log)
        finally:
            await log.close()

    return asyncio.run(run())


def write(data_dir: Path, *names: str, largest: int = 10**6) -> None:
    """Write an entry for each name."""

    async def work(log: AuditLog) -> None:
        for name in names:
            await log.append("start", sync=True, id=name)

    using(data_dir, work, largest=largest)


def verified(data_dir: Path) -> Verified:
    return verify(read_log(data_dir))


def kinds(data_dir: Path) -> list[str]:
    """Return the kinds of all entries, `?` for incomplete lines."""
    found = []
    for line in read_log(data_dir):
        try:
            found.append(json.loads(line.data)["kind"])
        except (ValueError, KeyError):
            found.append("?")
    return found


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Let the system refuse to make files larger, as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.requirement("approval.audit.chain")
def test_the_chain_goes_on_after_a_restart(tmp_path: Path) -> None:
    write(tmp_path, "a", "b")
    write(tmp_path, "c")
    assert verified(tmp_path).fault is None
    assert verified(tmp_path).head.seq == 3


@pytest.mark.requirement("approval.audit.torn")
@pytest.mark.parametrize("cut", [1, 2, 40, 150])
def test_a_torn_line_is_marked_and_the_chain_goes_on(tmp_path: Path, cut: int) -> None:
    write(tmp_path, "a", "b")
    data = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(data[:-cut])
    assert len(verified(tmp_path).torn) == 1
    write(tmp_path, "c")
    result = verified(tmp_path)
    assert result.fault is None
    # Without its newline only, the line is complete.
    assert kinds(tmp_path) == (["start"] * 3 if cut == 1 else ["start", "?", "torn", "start"])
    assert len(result.torn) == (0 if cut == 1 else 1)


@pytest.mark.requirement("approval.audit.torn")
@pytest.mark.parametrize("rest", [b"{", b"\0" * 100, b'{"seq":1}', b"x\ny\nz"])
def test_whatever_is_left_at_the_end_is_marked(tmp_path: Path, rest: bytes) -> None:
    for before in ([], ["a"]):
        folder = tmp_path / str(len(before))
        folder.mkdir()
        write(folder, *before)
        (folder / FILE).write_bytes((folder / FILE).read_bytes() + rest if before else rest)
        write(folder, "b")
        assert verified(folder).fault is None
        assert kinds(folder)[-2:] == ["torn", "start"]


@pytest.mark.requirement("approval.audit.rotation")
def test_a_large_file_is_put_aside_and_the_chain_goes_on(tmp_path: Path) -> None:
    names = [str(number) for number in range(40)]
    write(tmp_path, *names[:20], largest=2000)
    write(tmp_path, *names[20:], largest=2000)
    files = sorted(tmp_path.glob("audit*.jsonl"))
    assert len(files) > 3
    assert all(it.stat().st_size <= 2000 for it in files)
    assert all(it.stat().st_mode & 0o777 == 0o600 for it in files)
    assert [json.loads(it.data)["id"] for it in read_log(tmp_path)] == names
    assert verified(tmp_path).fault is None


@pytest.mark.requirement("approval.audit.rotation")
def test_the_chain_goes_on_if_a_kill_left_only_files_that_were_put_aside(tmp_path: Path) -> None:
    write(tmp_path, "a", "b")
    (tmp_path / FILE).rename(tmp_path / "audit.1.jsonl")
    write(tmp_path, "c")
    assert verified(tmp_path).fault is None
    assert verified(tmp_path).head.seq == 3


@pytest.mark.requirement("approval.audit.rotation")
def test_a_file_that_was_put_aside_and_removed_is_missed(tmp_path: Path) -> None:
    write(tmp_path, *map(str, range(40)), largest=1500)
    (tmp_path / "audit.2.jsonl").unlink()
    fault = verified(tmp_path).fault
    assert fault
    assert fault.tampering is Tampering.REMOVED
    assert str(fault.place) == "audit.3.jsonl:1"


@pytest.mark.requirement("approval.audit.refused")
def test_what_the_daemon_did_not_create_is_refused(tmp_path: Path) -> None:
    def refusal(folder: Path) -> str:
        with pytest.raises(AuditFailed) as caught:
            write(folder, "a")
        return str(caught.value)

    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(b"")
    path = tmp_path / FILE
    path.symlink_to(elsewhere)
    assert "symbolic link" in refusal(tmp_path)
    path.unlink()
    path.hardlink_to(elsewhere)
    assert "hard link" in refusal(tmp_path)
    path.unlink()
    path.mkdir()
    assert "directory" in refusal(tmp_path)
    path.rmdir()
    os.mkfifo(path)
    assert "named pipe" in refusal(tmp_path)
    path.unlink()
    assert elsewhere.read_bytes() == b""
    if os.geteuid() == 0:
        write(tmp_path, "a")
        os.chown(path, 65534, 65534)
        assert "belongs to the user id 65534" in refusal(tmp_path)
    assert "No such file" in refusal(tmp_path / "nowhere")


@pytest.mark.requirement("approval.audit.full")
def test_what_cannot_be_written_fails_and_leaves_nothing(tmp_path: Path) -> None:
    write(tmp_path, "a")
    before = (tmp_path / FILE).read_bytes()

    async def work(log: AuditLog) -> None:
        await log.open()
        with largest_file(len(before) + 50):
            appending = [log.append("start", sync=True, id=str(it)) for it in range(3)]
            results = await asyncio.gather(*appending, return_exceptions=True)
            assert all(isinstance(it, AuditFailed) for it in results)
            assert "File too large" in (log.problem or "")
            assert (tmp_path / FILE).read_bytes() == before
        await log.append("start", sync=True, id="b")
        assert log.problem is None

    using(tmp_path, work)
    assert kinds(tmp_path) == ["start", "start"]
    assert verified(tmp_path).fault is None


@pytest.mark.requirement("approval.audit.full")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small file system")
def test_a_full_disk_fails_and_leaves_nothing(tmp_path: Path) -> None:
    mounted = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(tmp_path)]
    if subprocess.run(mounted, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")

    async def work(log: AuditLog) -> int:
        for number in range(1000):
            try:
                await log.append("start", sync=True, id="x" * 1000)
            except AuditFailed:
                assert "No space left" in (log.problem or "")
                return number
        raise AssertionError("the disk was never full")

    try:
        written = using(tmp_path, work)
        assert 0 < written == verified(tmp_path).head.seq
        assert not verified(tmp_path).torn
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


@pytest.mark.requirement("approval.audit.chain")
def test_a_log_that_is_removed_or_changed_meanwhile_shows_it(tmp_path: Path) -> None:
    path = tmp_path / FILE

    async def removed(log: AuditLog) -> None:
        await log.append("start", sync=True, id="a")
        path.unlink()
        await log.append("start", sync=True, id="b")

    using(tmp_path, removed)
    fault = verified(tmp_path).fault
    assert fault
    assert fault.tampering is Tampering.REMOVED

    async def cut(log: AuditLog) -> None:
        await log.append("start", sync=True, id="c")
        path.write_bytes(path.read_bytes()[:30])
        await log.append("start", sync=True, id="d")

    path.unlink()
    using(tmp_path, cut)
    assert verified(tmp_path).fault
    assert kinds(tmp_path)[-1] == "start"


@pytest.mark.requirement("approval.audit.group")
def test_entries_that_wait_together_share_a_sync(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fdatasync", synced.append)

    async def work(log: AuditLog) -> None:
        await log.open()
        await asyncio.gather(*(log.append("start", sync=True, id=str(it)) for it in range(100)))
        await log.append("end", sync=False, id="0")

    using(tmp_path, work)
    assert len(synced) <= 3
    assert verified(tmp_path).head.seq == 101


@pytest.mark.requirement("approval.audit.line")
@pytest.mark.parametrize("fields", [{"seq": 1}, {"sum": "x"}, {"seconds": float("nan")}])
def test_fields_that_would_spoil_a_line_are_refused(tmp_path: Path, fields: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"fields of every line|JSON compliant"):
        using(tmp_path, lambda log: log.append("start", sync=False, **fields))


@pytest.fixture
def audit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Runs the subcommand in this process; returns its exit code and output."""

    def run(*arguments: str) -> tuple[int, str]:
        code = main(["--data-dir", str(tmp_path), "audit", *arguments])
        return code, "".join(capsys.readouterr())

    return run


@pytest.mark.requirement("approval.audit.command")
def test_the_subcommand_verifies_shows_and_exports(
    tmp_path: Path, audit: Callable[..., tuple[int, str]]
) -> None:
    assert audit("verify") == (0, "no entries\n")
    write(tmp_path, *"abcdefghij", largest=900)
    head = verified(tmp_path).head.digest
    code, output = audit("verify", "--since", head)
    assert (code, output) == (0, f"no fault in lines 1 to 10; head: {head}\n")
    code, output = audit("verify", "--since", "f" * 64)
    assert code == 1
    assert "no line has the hash" in output
    assert audit("verify", "--since", "x")[0] == 2
    assert [it.split()[0] for it in audit("show", "-n", "2")[1].splitlines()] == ["9", "10"]
    assert audit("show", "--id", "c")[1].endswith('Z  start  id="c"\n')
    copy = tmp_path / "copy.jsonl"
    copy.write_text(audit("export")[1], encoding="utf-8")
    assert copy.read_bytes() == b"".join(it.data for it in read_log(tmp_path))
    copy.write_bytes(copy.read_bytes().replace(b'"c"', b'"z"'))
    code, output = audit("verify", str(copy))
    assert code == 1
    assert f"{copy}:3 was changed" in output
    assert "right up to lines 1 to 2" in output
    message = "stringd: cannot read nowhere: No such file or directory\n"
    assert audit("verify", "nowhere") == (1, message)
