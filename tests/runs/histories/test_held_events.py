"""The feed of a run and its writer: an event that says that something is done waits for the disk."""

from __future__ import annotations

import asyncio
import errno
import json
import threading
from pathlib import Path

import pytest

from stringd_runs.agent_events import Text
from stringd_runs.histories.history_file import HistoryFile
from stringd_runs.histories.history_writer import HistoryWriter
from stringd_runs.messages.run_events import AgentStreaming, EncodedEvent, SteerQueued
from stringd_runs.running.run_feed import LARGEST_HELD, RunFeed

PATIENCE = 10.0


class SlowFile(HistoryFile):
    """A history on a disk that waits for a test, or fails."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "slow")
        self.may_go_on = threading.Event()
        self.sizes: list[int] = []
        self.error: Exception | None = None

    def write(self, data: bytes, *, sync: bool) -> None:
        assert self.may_go_on.wait(PATIENCE)
        self.sizes.append(data.count(b"\n"))
        if self.error:
            raise self.error
        super().write(data, sync=sync)


class Reader:
    """A subscriber that keeps the numbers of the events."""

    is_operator = False

    def __init__(self) -> None:
        self.numbers: list[int] = []

    async def drained(self) -> None:
        """Return at once."""

    def deliver(self, event: EncodedEvent) -> None:
        self.numbers.append(event.seq)


class Written:
    """A feed, its writer and a reader."""

    def __init__(self, folder: Path) -> None:
        self.file = SlowFile(folder)
        self.feed = RunFeed()
        self.writer = HistoryWriter(self.file, self.feed.release)
        self.reader = Reader()
        self.feed.subscribe(self.reader)
        self.feed.write_to(self.writer)

    def publish(self, *, done: bool = False) -> None:
        if done:
            self.writer.append(b'{"record":"agent-called"}', sync=True)
        self.feed.publish(SteerQueued(run_id="r", text="x"), None)

    async def finish(self) -> None:
        self.file.may_go_on.set()
        self.writer.close()
        await asyncio.wait_for(self.writer.run(), PATIENCE)


@pytest.mark.requirement("runs.history.held")
def test_events_wait_until_what_they_say_is_on_disk(tmp_path: Path) -> None:
    async def run() -> None:
        written = Written(tmp_path)
        written.publish()
        assert written.reader.numbers == [1]
        for done in (True, False):
            written.publish(done=done)
        written.feed.publish(AgentStreaming(run_id="r", agent_name="a", event=Text(text="x")), None)
        assert written.reader.numbers == [1]
        await written.finish()
        assert written.reader.numbers == [1, 2, 3, 4]

    asyncio.run(run())


@pytest.mark.requirement("runs.history.held")
def test_what_arrives_during_a_sync_is_written_together(tmp_path: Path) -> None:
    async def run() -> None:
        written = Written(tmp_path)
        writing = asyncio.create_task(written.writer.run())
        written.publish(done=True)
        await asyncio.sleep(0)
        for _ in range(500):
            written.publish(done=True)
        written.file.may_go_on.set()
        written.writer.close()
        await asyncio.wait_for(writing, PATIENCE)
        assert len(written.file.sizes) <= 3
        assert written.reader.numbers == list(range(1, 502))

    asyncio.run(run())
    numbers = [
        json.loads(it).get("seq") for it in (tmp_path / "runs" / "slow.jsonl").read_bytes().splitlines()
    ]
    assert [it for it in numbers if it] == list(range(1, 502))


@pytest.mark.requirement("runs.history.held")
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "No space left on device"),
        (MemoryError(), "MemoryError: see the log"),
    ],
)
def test_events_that_cannot_be_stored_are_never_delivered(
    tmp_path: Path, error: Exception, said: str
) -> None:
    async def run() -> None:
        written = Written(tmp_path)
        written.publish()
        written.publish(done=True)
        written.file.error = error
        await written.finish()
        assert written.writer.failure == said
        assert (written.reader.numbers, written.feed.last_seq) == ([1], 1)

    asyncio.run(run())
    assert not (tmp_path / "runs").exists()


@pytest.mark.requirement("runs.history.held")
def test_a_writer_whose_listener_fails_has_failed(tmp_path: Path) -> None:
    def listen() -> None:
        if writer.failure is None:
            raise ValueError("a bug")

    async def run() -> None:
        writer.append(b"{}", sync=True)
        writer.close()
        await asyncio.wait_for(writer.run(), PATIENCE)
        await asyncio.wait_for(writer.wait_for_room(), PATIENCE)

    writer = HistoryWriter(HistoryFile(tmp_path, "r"), listen)
    asyncio.run(run())
    assert writer.failure == "ValueError: see the log"


@pytest.mark.requirement("runs.history.room")
def test_pieces_are_left_out_while_too_much_waits_for_the_disk(tmp_path: Path) -> None:
    piece = AgentStreaming(run_id="r", agent_name="a", event=Text(text="x" * 1024 * 1024))
    most = LARGEST_HELD // (1024 * 1024) + 2

    async def run() -> None:
        written = Written(tmp_path)
        written.publish(done=True)
        for _ in range(3 * most):
            written.feed.publish(piece, None)
        written.publish(done=True)
        await written.finish()
        *pieces, last = written.reader.numbers
        assert 1 < len(pieces) <= most
        assert pieces == list(range(1, len(pieces) + 1))
        assert last == 3 * most + 2
        assert written.feed.last_seq == last
        written.feed.publish(piece, None)
        assert written.reader.numbers[-1] == last + 1

    asyncio.run(run())


@pytest.mark.requirement("runs.history.room")
def test_a_run_waits_when_too_much_waits_for_the_disk(tmp_path: Path) -> None:
    async def run() -> None:
        written = Written(tmp_path)
        await asyncio.wait_for(written.writer.wait_for_room(), PATIENCE)
        written.writer.append(b"x" * 5 * 1024 * 1024)
        waiting = asyncio.ensure_future(written.writer.wait_for_room())
        await asyncio.sleep(0)
        assert not waiting.done()
        await written.finish()
        await asyncio.wait_for(waiting, PATIENCE)

    asyncio.run(run())


@pytest.mark.requirement("runs.life.seq")
def test_an_event_that_cannot_be_sent_takes_no_number(tmp_path: Path) -> None:
    async def run() -> None:
        written = Written(tmp_path)
        piece = Text(text=object())  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            written.feed.publish(AgentStreaming(run_id="r", agent_name="a", event=piece), None)
        written.publish()
        assert written.reader.numbers == [1]
        await written.finish()

    asyncio.run(run())
