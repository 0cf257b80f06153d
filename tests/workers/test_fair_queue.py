"""Owners take turns: the least recently used goes first, and each waits for a bounded number of turns."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stringd.workers.fair_queue import FairQueue


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 10))


async def until_waiting(queue: FairQueue) -> None:
    while not queue.is_waited_for:
        await asyncio.sleep(0)


def test_least_used_owner_goes_first() -> None:
    async def scene() -> None:
        queue, order = FairQueue(1), []

        async def job(owner: str, seconds: float) -> None:
            await queue.enter(owner)
            order.append(owner)
            queue.leave(owner, seconds)

        await job("slow", 5.0)
        await job("quick", 0.02)
        await queue.enter("other")
        jobs = [asyncio.ensure_future(job(owner, 0.1)) for owner in ("slow", "slow", "quick", "new")]
        await asyncio.sleep(0)
        queue.leave("other", 1.0)
        await asyncio.gather(*jobs)
        assert order[2:] == ["new", "quick", "slow", "slow"]

    run(scene())


@given(st.integers(3, 12), st.floats(0, 2), st.floats(0, 2))
def test_returning_owners_do_not_starve_others(others: int, theirs: float, before: float) -> None:
    """An owner whose last turn was long waits for at most ten turns of each other owner."""

    async def scene() -> None:
        queue, turns, done = FairQueue(2), 0, asyncio.Event()

        async def keep_coming(owner: str) -> None:
            nonlocal turns
            while not done.is_set():
                await queue.enter(owner)
                turns += 1
                await asyncio.sleep(0)
                queue.leave(owner, theirs)

        await queue.enter("honest")
        queue.leave("honest", before)
        greedy = [asyncio.ensure_future(keep_coming(f"greedy-{number}")) for number in range(others)]
        await until_waiting(queue)
        await queue.enter("honest")
        waited = turns
        queue.leave("honest", before)
        done.set()
        await asyncio.gather(*greedy)
        assert waited <= 11 * others + 2

    run(scene())


def test_one_owner_never_has_all_slots() -> None:
    async def scene() -> None:
        queue = FairQueue(2)
        await queue.enter("greedy")
        second = asyncio.ensure_future(queue.enter("greedy"))
        await until_waiting(queue)
        await queue.enter("modest")
        assert not second.done()
        queue.leave("greedy", 1.0)
        await second

    run(scene())


def test_cancelled_waiter_passes_its_turn() -> None:
    async def scene() -> None:
        queue = FairQueue(1)
        await queue.enter("a")
        impatient = asyncio.ensure_future(queue.enter("b"))
        patient = asyncio.ensure_future(queue.enter("c"))
        await asyncio.sleep(0)
        impatient.cancel()
        await asyncio.wait({impatient})
        queue.leave("a", 0.0)
        await patient
        # Given the place, and cancelled before hearing of it.
        late = asyncio.ensure_future(queue.enter("d"))
        await asyncio.sleep(0)
        queue.leave("c", 0.0)
        late.cancel()
        await asyncio.wait({late})
        await queue.enter("e")

    run(scene())


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.floats(0, 2), st.booleans()), max_size=30))
def test_no_slot_is_lost(jobs: list[tuple[str, float, bool]]) -> None:
    async def scene() -> None:
        queue, inside = FairQueue(2), 0

        async def job(owner: str, seconds: float) -> None:
            nonlocal inside
            await queue.enter(owner)
            inside += 1
            assert inside <= 2
            await asyncio.sleep(0)
            inside -= 1
            queue.leave(owner, seconds)

        tasks = [(asyncio.ensure_future(job(owner, seconds)), gives_up) for owner, seconds, gives_up in jobs]
        await asyncio.sleep(0)
        for task, gives_up in tasks:
            if gives_up and not inside:
                task.cancel()
        await asyncio.gather(*(task for task, _ in tasks), return_exceptions=True)
        assert not queue.is_waited_for
        await queue.enter("x")
        await queue.enter("y")

    run(scene())
