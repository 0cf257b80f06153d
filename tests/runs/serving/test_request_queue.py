"""Requests that wait: those about one run in order, others beside, a bounded number."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from stringd_runs.serving.request_queue import MOST_OUTSTANDING, RequestQueue, TooManyRequests


@pytest.mark.requirement("runs.requests.order")
def test_requests_about_one_run_are_handled_in_order() -> None:
    async def check() -> None:
        queue, handled, gates = RequestQueue(), [], [asyncio.Event() for _ in range(3)]

        async def handle(number: int) -> None:
            await gates[number].wait()
            handled.append(number)

        for number, run_id in enumerate(["a", "a", "b"]):
            queue.add(run_id, partial(handle, number))
        assert queue.is_waiting("a")
        gates[1].set()
        gates[2].set()
        for _ in range(5):
            await asyncio.sleep(0)
        assert handled == [2]
        assert not queue.is_waiting("b")
        gates[0].set()
        await queue.finished()
        assert handled == [2, 0, 1]
        assert not queue.is_waiting("a")

    asyncio.run(check())


def test_a_failed_request_does_not_hold_the_next_one() -> None:
    async def check() -> None:
        queue, handled = RequestQueue(), []

        async def fail() -> None:
            raise OSError

        async def succeed() -> None:
            handled.append(1)

        queue.add("a", fail)
        queue.add("a", succeed)
        await queue.finished()
        assert handled == [1]

    asyncio.run(check())


@pytest.mark.requirement("runs.requests.outstanding")
def test_only_so_many_requests_wait() -> None:
    async def check() -> None:
        queue, gate = RequestQueue(), asyncio.Event()

        async def wait() -> None:
            await gate.wait()

        for number in range(MOST_OUTSTANDING):
            queue.add(f"{number}", wait)
        with pytest.raises(TooManyRequests):
            queue.add("more", wait)
        gate.set()
        await queue.finished()
        queue.add("more", wait)
        await queue.finished()

    asyncio.run(check())
