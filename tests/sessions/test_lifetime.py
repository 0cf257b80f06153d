"""The lifetime of a topic's context."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from stringd.api.sessions import Topic
from stringd.sessions.lifetime import TopicLifetime


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


def test_topic_is_opened_and_closed_once_per_life() -> None:
    log = Log()

    async def life() -> None:
        lifetime = TopicLifetime(log.open)
        first, second = await asyncio.gather(lifetime.topic(), lifetime.topic())
        assert first is second
        await asyncio.create_task(lifetime.close())
        await lifetime.close()
        assert await lifetime.topic() is not first
        await lifetime.close()

    asyncio.run(life())
    assert log == ["entered", "left", "entered", "left"]


def test_failed_open_is_raised_and_retried() -> None:
    attempts: list[int] = []

    @asynccontextmanager
    async def second_time_lucky() -> AsyncIterator[Topic]:
        attempts.append(1)
        if len(attempts) == 1:
            raise OSError("no terminal")
        yield Topic()

    async def life() -> None:
        lifetime = TopicLifetime(second_time_lucky)
        with pytest.raises(OSError, match="no terminal"):
            await lifetime.topic()
        assert isinstance(await lifetime.topic(), Topic)
        await lifetime.close()

    asyncio.run(life())


def test_cancelled_open_is_not_repeated() -> None:
    log = Log()
    may_enter = asyncio.Event()

    @asynccontextmanager
    async def slowly() -> AsyncIterator[Topic]:
        await may_enter.wait()
        async with log.open() as topic:
            yield topic

    async def life() -> None:
        lifetime = TopicLifetime(slowly)
        impatient = asyncio.create_task(lifetime.topic())
        await asyncio.sleep(0)
        impatient.cancel()
        patient = asyncio.create_task(lifetime.topic())
        may_enter.set()
        await patient
        await lifetime.close()

    asyncio.run(life())
    assert log == ["entered", "left"]


def test_ended_topic_is_reopened(caplog: pytest.LogCaptureFixture) -> None:
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
        lifetime = TopicLifetime(fragile)
        first = await lifetime.topic()
        broken.set()
        while len(log) < 2:
            await asyncio.sleep(0)
        broken.clear()
        while await lifetime.topic() is first:
            await asyncio.sleep(0)
        await lifetime.close()

    asyncio.run(asyncio.wait_for(life(), 5))
    assert log == ["entered", "left", "entered", "left"]
    assert "the context of a topic failed" in caplog.text
