"""A job can't reach a network, start a program, or write a file."""

from __future__ import annotations

import os
import resource
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stringd.api.workers import Budget
from stringd.errors import WorkStopped
from stringd.workers.blocking_workers import BlockingWorkers
from stringd.workers.confinement import Seal
from tests.workers import jobs

ENOUGH = Budget(seconds=5.0, memory=256 * 1024 * 1024)


@pytest.fixture(scope="module", params=list(Seal))
def workers(request: pytest.FixtureRequest) -> Iterator[BlockingWorkers]:
    pool = BlockingWorkers(request.param, ["tests.workers.jobs"])
    yield pool
    pool.close()


@pytest.fixture(scope="module")
def sealed() -> Iterator[BlockingWorkers]:
    pool = BlockingWorkers(Seal.COMPUTING, ["tests.workers.jobs"])
    yield pool
    pool.close()


def stopped(workers: BlockingWorkers, job: Callable[..., object], *arguments: object) -> str:
    """Return why a job could not be done."""
    with pytest.raises((WorkStopped, RuntimeError)) as failure:
        workers.run(job, *arguments, budget=ENOUGH)
    return str(failure.value)


@pytest.mark.requirement("template.confined")
def test_no_network(workers: BlockingWorkers) -> None:
    with socket.create_server((jobs.LOOPBACK, 0)) as server:
        server.settimeout(0)
        assert "PermissionError" in stopped(workers, jobs.connect, server.getsockname()[1])
        with pytest.raises(BlockingIOError):
            server.accept()


@pytest.mark.requirement("template.confined")
def test_no_program_and_no_process(workers: BlockingWorkers, tmp_path: Path) -> None:
    assert "PermissionError" in stopped(workers, jobs.run_program, str(tmp_path / "made"))
    assert "PermissionError" in stopped(workers, jobs.fork)
    assert not (tmp_path / "made").exists()


@pytest.mark.requirement("template.confined")
def test_no_file_is_written_or_removed(workers: BlockingWorkers, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.write_text("as it was", encoding="utf-8")
    assert "PermissionError" in stopped(workers, jobs.write, str(there))
    assert "PermissionError" in stopped(workers, jobs.write, str(tmp_path / "new"))
    assert "PermissionError" in stopped(workers, jobs.remove, str(there))
    assert [it.name for it in tmp_path.iterdir()] == ["there"]
    assert there.read_text(encoding="utf-8") == "as it was"


@pytest.mark.requirement("template.confined")
def test_no_signals_to_other_processes(workers: BlockingWorkers) -> None:
    assert "PermissionError" in stopped(workers, jobs.kill, os.getppid())
    for way in ("fcntl", "ioctl"):
        assert "PermissionError" in stopped(workers, jobs.have_signalled, os.getpid(), way)


@pytest.mark.requirement("template.confined")
def test_no_limits_of_other_processes(workers: BlockingWorkers) -> None:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as other:
        assert "PermissionError" in stopped(workers, jobs.limit, other.pid)
        assert resource.prlimit(other.pid, resource.RLIMIT_CPU) == resource.getrlimit(resource.RLIMIT_CPU)


@pytest.mark.requirement("template.confined")
def test_sealed_worker_cannot_read_files(sealed: BlockingWorkers, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hunter2", encoding="utf-8")
    assert "PermissionError" in stopped(sealed, jobs.read, str(secret))


@pytest.mark.requirement("template.confined")
def test_sealed_worker_returns_only_plain_values(sealed: BlockingWorkers) -> None:
    assert sealed.run(jobs.grow, 1, budget=ENOUGH) == 1
    assert "may not return" in stopped(sealed, jobs.pair, 1, 2)
