"""A topic's life, as its kind sees it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from stringd.contracts.sessions import Topic
from stringd.sessions.keeper import Keeper


class Log(list[str]):
    """What happened to a topic."""

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Topic]:
        async with asyncio.TaskGroup():
            self.append("entered")
            try:
                yield Topic()
            finally:
                self.append("left")


def test_entered_once_left_once_and_entered_again() -> None:
    log = Log()

    async def life() -> None:
        keeper = Keeper(log.open)
        first, second = await asyncio.gather(keeper.topic(), keeper.topic())
        assert first is second
        await asyncio.create_task(keeper.close())
        await keeper.close()
        assert await keeper.topic() is not first
        await keeper.close()

    asyncio.run(life())
    assert log == ["entered", "left", "entered", "left"]


def test_a_failure_to_enter_is_raised_and_the_next_try_is_fresh() -> None:
    attempts: list[int] = []

    @asynccontextmanager
    async def second_time_lucky() -> AsyncIterator[Topic]:
        attempts.append(1)
        if len(attempts) == 1:
            raise OSError("no terminal")
        yield Topic()

    async def life() -> None:
        keeper = Keeper(second_time_lucky)
        with pytest.raises(OSError, match="no terminal"):
            await keeper.topic()
        assert isinstance(await keeper.topic(), Topic)
        await keeper.close()

    asyncio.run(life())


def test_whoever_gives_up_waiting_does_not_open_it_twice() -> None:
    log = Log()
    may_enter = asyncio.Event()

    @asynccontextmanager
    async def slowly() -> AsyncIterator[Topic]:
        await may_enter.wait()
        async with log.open() as topic:
            yield topic

    async def life() -> None:
        keeper = Keeper(slowly)
        impatient = asyncio.create_task(keeper.topic())
        await asyncio.sleep(0)
        impatient.cancel()
        patient = asyncio.create_task(keeper.topic())
        may_enter.set()
        await patient
        await keeper.close()

    asyncio.run(life())
    assert log == ["entered", "left"]


def test_a_topic_that_ends_by_itself_is_opened_afresh(caplog: pytest.LogCaptureFixture) -> None:
    log = Log()
    broken = asyncio.Event()

    @asynccontextmanager
    async def fragile() -> AsyncIterator[Topic]:
        async def background() -> None:
            await broken.wait()
            raise ConnectionError("the line is dead")

        async with asyncio.TaskGroup() as group:
            task = group.create_task(background())
            async with log.open() as topic:
                yield topic
            task.cancel()

    async def life() -> None:
        keeper = Keeper(fragile)
        first = await keeper.topic()
        broken.set()
        while len(log) < 2:
            await asyncio.sleep(0)
        broken.clear()
        while await keeper.topic() is first:
            await asyncio.sleep(0)
        await keeper.close()

    asyncio.run(asyncio.wait_for(life(), 5))
    assert log == ["entered", "left", "entered", "left"]
    assert "a topic ended by itself" in caplog.text
