"""The outbox of one socket: nothing is lost or reordered but pieces of text, and it is bounded."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stringd_runs.messages.run_events import EncodedEvent
from stringd_runs.serving.run_outbox import RunOutbox

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(asyncio.wait_for(coroutine, 10))


class Box:
    """An outbox, and how often it was full."""

    def __init__(self, **limits: int) -> None:
        self.times_full = 0
        self.outbox = RunOutbox(self._note, is_operator=False, **limits)

    def _note(self) -> None:
        self.times_full += 1

    def deliver(self, seq: int, data: bytes = b"x", *, is_piece: bool = False) -> None:
        self.outbox.deliver(EncodedEvent(seq, data, is_piece))

    async def rest(self) -> list[bytes]:
        """Everything that waits, until nothing more is taken."""
        self.outbox.end()
        taken: list[bytes] = []
        while batch := await self.outbox.next_batch():
            taken += batch
        return taken


@pytest.mark.requirement("runs.outbox.pieces")
def test_pieces_are_left_out_above_half() -> None:
    async def check() -> None:
        box = Box(most=10)
        for seq in range(8):
            box.deliver(seq, b"%d" % seq, is_piece=True)
        box.deliver(8, b"lifecycle")
        assert await box.rest() == [b"0", b"1", b"2", b"3", b"4", b"lifecycle"]
        assert box.times_full == 0

    run(check())


@pytest.mark.requirement("runs.outbox.pieces")
def test_pieces_are_left_out_above_half_of_the_bytes() -> None:
    async def check() -> None:
        box = Box(largest=100)
        for seq in range(4):
            box.deliver(seq, b"x" * 20, is_piece=True)
        box.deliver(4, b"y" * 40)
        assert await box.rest() == [b"x" * 20, b"x" * 20, b"y" * 40]

    run(check())


@pytest.mark.requirement("runs.outbox.pieces")
def test_pieces_are_sent_again_once_the_client_has_read() -> None:
    async def check() -> None:
        box = Box(most=4)
        for seq in range(4):
            box.deliver(seq, b"%d" % seq, is_piece=True)
        assert await box.outbox.next_batch() == [b"0", b"1"]
        box.deliver(4, b"4", is_piece=True)
        assert await box.rest() == [b"4"]

    run(check())


@pytest.mark.requirement("runs.outbox.limit")
@pytest.mark.parametrize("limits", [{"most": 3}, {"largest": 3}])
def test_a_full_outbox_sends_nothing_more(limits: dict[str, int]) -> None:
    async def check() -> None:
        box = Box(**limits)
        for seq in range(3):
            box.deliver(seq)
        assert box.times_full == 0
        box.deliver(3)
        box.deliver(4)
        assert box.times_full == 1
        assert await box.rest() == []

    run(check())


@pytest.mark.requirement("runs.outbox.limit")
def test_one_message_may_exceed_the_limit() -> None:
    async def check() -> None:
        box = Box(largest=3)
        box.outbox.put(b"x" * 10)
        assert await box.rest() == [b"x" * 10]
        assert box.times_full == 0

    run(check())


def test_messages_come_in_batches_of_bounded_size() -> None:
    async def check() -> None:
        box = Box()
        for _ in range(100):
            box.outbox.put(b"x" * 1000)
        assert len(await box.outbox.next_batch()) == 65
        assert len(await box.outbox.next_batch()) == 35

    run(check())


def test_waiting_for_a_message() -> None:
    async def check() -> None:
        box = Box()
        waiting = asyncio.create_task(box.outbox.next_batch())
        await asyncio.sleep(0)
        box.outbox.put(b"a")
        assert await waiting == [b"a"]
        waiting = asyncio.create_task(box.outbox.next_batch())
        await asyncio.sleep(0)
        box.outbox.end()
        assert await waiting == ()
        box.outbox.put(b"b")
        assert await box.outbox.next_batch() == ()

    run(check())


def test_stored_events_wait_for_room() -> None:
    async def check() -> None:
        box = Box(most=8)
        await box.outbox.drained()
        for seq in range(4):
            box.deliver(seq)
        waiting = asyncio.create_task(box.outbox.drained())
        await asyncio.sleep(0)
        assert not waiting.done()
        await box.outbox.next_batch()
        await waiting
        for seq in range(4):
            box.deliver(seq)
        waiting = asyncio.create_task(box.outbox.drained())
        await asyncio.sleep(0)
        box.outbox.discard()
        await waiting

    run(check())


EVENTS = st.lists(st.tuples(st.booleans(), st.integers(1, 30), st.booleans()), max_size=60)


@pytest.mark.requirement("runs.outbox.order")
@given(EVENTS)
@settings(deadline=None)
def test_whatever_is_read_when_only_pieces_are_missing(events: list[tuple[bool, int, bool]]) -> None:
    async def check() -> None:
        box = Box(most=12, largest=120)
        received: list[bytes] = []
        expected: list[bytes] = []
        pieces = set()
        for seq, (is_piece, size, is_read) in enumerate(events):
            data = b"%d " % seq + b"x" * size
            expected.append(data)
            pieces |= {data} if is_piece else set()
            box.deliver(seq, data, is_piece=is_piece)
            if is_read and len(received) < len(expected):
                box.outbox.put(b"")
                received += [it for it in await box.outbox.next_batch() if it]
        received += [it for it in await box.rest() if it]
        kept = set(received)
        assert received == [it for it in expected if it in kept]
        assert box.times_full or set(expected) - kept <= pieces

    run(check())
