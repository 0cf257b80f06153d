"""The time limit of each event of an answer: only waiting counts, and cancellations are told apart."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import closing
from typing import Any

import pytest

from stringd_runs.providers.stall_limit import StallLimit

SHORT = 0.05
pytestmark = pytest.mark.requirement("runs.providers.time_limits")


def run(coroutine: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(coroutine, 10))


def test_each_wait_has_the_whole_time() -> None:
    async def check() -> None:
        with closing(StallLimit(4 * SHORT)) as limit:
            for _ in range(8):
                with limit:
                    await asyncio.sleep(SHORT)
            with pytest.raises(TimeoutError), limit:
                await asyncio.sleep(3600)
            with limit:
                await asyncio.sleep(0)

    run(check())


def test_what_happens_between_two_waits_does_not_count() -> None:
    async def check() -> None:
        with closing(StallLimit(SHORT)) as limit:
            for _ in range(2):
                with limit:
                    await asyncio.sleep(0)
                await asyncio.sleep(3 * SHORT)
            with pytest.raises(TimeoutError), limit:
                await asyncio.sleep(3600)

    run(check())


@pytest.mark.parametrize(("first", "later"), [(3600, SHORT), (SHORT, 3600)])
def test_the_limit_may_change(first: float, later: float) -> None:
    async def check() -> None:
        with closing(StallLimit(first)) as limit:
            with limit:
                await asyncio.sleep(0)
            limit.seconds = later
            waiting = asyncio.current_task()
            assert waiting
            if later == SHORT:
                with pytest.raises(TimeoutError), limit:
                    await asyncio.sleep(3600)
            else:
                with limit:
                    await asyncio.sleep(3 * SHORT)
            assert not waiting.cancelling()

    run(check())


@pytest.mark.parametrize("seconds", [0, 3600])
def test_another_cancellation_stays_one(seconds: float) -> None:
    async def wait() -> None:
        with closing(StallLimit(seconds)) as limit, limit:
            await asyncio.sleep(3600)

    async def check() -> None:
        waiting = asyncio.create_task(wait())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert waiting.cancelled()

    run(check())
