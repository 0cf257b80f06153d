"""The command queue under simultaneous events."""

from __future__ import annotations

import asyncio

import pytest

from stringd.errors import ClientGone, SessionClosed
from stringd.sessions.command_queue import CommandQueue


def test_turn_of_a_leaving_waiter_goes_to_the_next() -> None:
    async def scene() -> None:
        turns, gone = CommandQueue("u:file:a", 60), asyncio.Event()
        await turns.take(None)

        async def left() -> None:
            await gone.wait()

        leaving = asyncio.create_task(turns.take(left))
        staying = asyncio.create_task(turns.take(None))
        while turns.waiting < 2:
            await asyncio.sleep(0)
        gone.set()
        await asyncio.sleep(0)
        turns.pass_on()
        with pytest.raises(ClientGone):
            await leaving
        await staying
        turns.pass_on()
        await turns.idle()

    asyncio.run(asyncio.wait_for(scene(), 5))


def test_newcomer_cannot_overtake_waiters() -> None:
    async def scene() -> list[str]:
        turns, order = CommandQueue("u:file:a", 60), []

        async def work(name: str) -> None:
            await turns.take(None)
            order.append(name)
            await asyncio.sleep(0)
            turns.pass_on()

        await turns.take(None)
        first = asyncio.create_task(work("waited"))
        while not turns.waiting:
            await asyncio.sleep(0)
        turns.pass_on()
        await asyncio.gather(first, work("newcomer"))
        return order

    assert asyncio.run(asyncio.wait_for(scene(), 5)) == ["waited", "newcomer"]


def test_waiters_get_the_reason_of_the_end() -> None:
    async def scene() -> None:
        turns = CommandQueue("u:file:a", 60)
        await turns.take(None)
        waiting = [asyncio.create_task(turns.take(None)) for _ in range(3)]
        while turns.waiting < 3:
            await asyncio.sleep(0)
        turns.refuse_waiting(SessionClosed("closed"))
        assert all(
            isinstance(it, SessionClosed) for it in await asyncio.gather(*waiting, return_exceptions=True)
        )
        turns.pass_on()
        await turns.take(None)

    asyncio.run(asyncio.wait_for(scene(), 5))


def test_turn_of_a_cancelled_waiter_goes_to_the_next() -> None:
    async def scene() -> None:
        turns = CommandQueue("u:file:a", 60)
        await turns.take(None)
        cancelled = asyncio.create_task(turns.take(None))
        staying = asyncio.create_task(turns.take(None))
        while turns.waiting < 2:
            await asyncio.sleep(0)
        cancelled.cancel()
        turns.pass_on()
        await staying
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        turns.pass_on()
        await turns.idle()

    asyncio.run(asyncio.wait_for(scene(), 5))


def test_a_waiter_that_is_cancelled_as_all_are_refused_leaves_the_queue() -> None:
    async def scene() -> None:
        turns = CommandQueue("u:file:a", 60)
        await turns.take(None)
        cancelled = asyncio.create_task(turns.take(None))
        while not turns.waiting:
            await asyncio.sleep(0)
        cancelled.cancel()
        turns.refuse_waiting(SessionClosed("closed"))
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        assert not turns.waiting

    asyncio.run(asyncio.wait_for(scene(), 5))
