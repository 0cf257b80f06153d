"""What PostgreSQL has acknowledged outlasts a power cut, and the test would see it if it did not."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import suppress

import asyncpg
import pytest

from tests.cluster.engine import Engine, find_programs
from tests.cluster.power_cuts import CutDisk, DiskUnavailable, PowerlessEngine

WRITERS = 4
SECONDS = 1.0
pytestmark = pytest.mark.long


@pytest.fixture
def disk() -> Iterator[CutDisk]:
    """A disk whose power can be cut."""
    try:
        made = CutDisk()
    except DiskUnavailable as reason:
        pytest.skip(f"no disk can be made here: {reason}")
    with made:
        yield made


@pytest.fixture
def engine(postgres: Engine, disk: CutDisk) -> Iterator[Callable[..., PowerlessEngine]]:
    """Return a function that starts a PostgreSQL on the disk with these settings."""
    del postgres  # it skips this test where there is none
    programs = find_programs()
    assert programs
    made: list[PowerlessEngine] = []

    def start(**settings: str) -> PowerlessEngine:
        made.append(PowerlessEngine(programs, disk, settings))
        made[-1].start()
        return made[-1]

    yield start
    for it in made:
        it.close()


async def write_until_the_end(url: str, first: int, acknowledged: list[int]) -> None:
    """Insert rising numbers until the connection breaks."""
    connection = await asyncpg.connect(url)
    with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
        for number in range(first, first + 1_000_000):
            await connection.execute("INSERT INTO t VALUES ($1)", number)
            acknowledged.append(number)
    connection.terminate()


async def acknowledged_before(engine: Engine, url: str) -> list[int]:
    """Return what was acknowledged until the power was cut."""
    acknowledged: list[int] = []
    writers = [write_until_the_end(url, it * 1_000_000, acknowledged) for it in range(WRITERS)]
    tasks = [asyncio.ensure_future(it) for it in writers]
    await asyncio.sleep(SECONDS)
    await asyncio.to_thread(engine.kill)
    await asyncio.wait_for(asyncio.gather(*tasks), 20)
    return acknowledged


def test_unsynced_files_are_lost(disk: CutDisk) -> None:
    synced, unsynced = disk.path / "synced", disk.path / "unsynced"
    with synced.open("w", encoding="utf-8") as file:
        file.write("kept")
        file.flush()
        os.fsync(file.fileno())
    unsynced.write_text("lost", encoding="utf-8")
    disk.cut()
    disk.restore()
    assert synced.read_text(encoding="utf-8") == "kept"
    assert not unsynced.exists()


def test_acknowledged_rows_outlast_a_power_cut(engine: Callable[..., PowerlessEngine]) -> None:
    running = engine()
    name = running.create_database()
    running.sql("CREATE TABLE t (n int)", database=name)
    acknowledged = asyncio.run(acknowledged_before(running, running.url(name)))
    running.start()
    kept = {int(it) for it in running.sql("SELECT n FROM t", database=name).split()}
    assert len(acknowledged) > WRITERS
    assert set(acknowledged) - kept == set()


def test_rows_that_are_not_synced_are_lost(engine: Callable[..., PowerlessEngine]) -> None:
    running = engine(synchronous_commit="off", wal_writer_delay="10s")
    name = running.create_database()
    running.sql("CREATE TABLE t (n int)", "CHECKPOINT", database=name)
    acknowledged = asyncio.run(acknowledged_before(running, running.url(name)))
    running.start()
    kept = {int(it) for it in running.sql("SELECT n FROM t", database=name).split()}
    assert set(acknowledged) - kept
