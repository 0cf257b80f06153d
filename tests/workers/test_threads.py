"""Threads: whatever a function raises there ends the wait for it."""

from __future__ import annotations

import asyncio
from concurrent.futures import CancelledError as FutureCancelled

import pytest

from stringd.workers.guarded_calls import PluginFailed
from stringd.workers.threads import READING, STORAGE, Threads

UNCARRIED = [StopIteration, StopAsyncIteration, SystemExit, KeyboardInterrupt, GeneratorExit]
UNCARRIED += [asyncio.CancelledError, FutureCancelled]


def fail(kind: type[BaseException]) -> None:
    raise kind("on purpose")


async def awaited(threads: Threads, kind: type[BaseException]) -> None:
    async with asyncio.timeout(10):
        await threads.run(fail, kind)


@pytest.mark.parametrize("threads", [READING, STORAGE], ids=["reading", "storage"])
@pytest.mark.parametrize("kind", UNCARRIED)
def test_what_futures_cannot_carry_is_raised_as_an_error(kind: type[BaseException], threads: Threads) -> None:
    with pytest.raises(PluginFailed) as failed:
        asyncio.run(awaited(threads, kind))
    assert isinstance(failed.value.__cause__, kind)


@pytest.mark.parametrize("kind", [ValueError, TimeoutError])
def test_an_error_is_raised_as_it_is(kind: type[Exception]) -> None:
    with pytest.raises(kind, match="on purpose"):
        asyncio.run(awaited(READING, kind))


def test_a_result_asked_for_later_is_not_waited_for_in_vain() -> None:
    with pytest.raises(PluginFailed):
        READING.begin(fail, StopIteration).result(10)
