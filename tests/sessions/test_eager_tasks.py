"""Tasks whose coroutine runs up to its first suspension at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import ContextVar
from typing import Any

import anyio
import pytest

from stringd.sessions.eager_tasks import Returned, start_task

number: ContextVar[int] = ContextVar("number", default=0)


async def outcome(function: Callable[[], Coroutine[Any, Any, object]]) -> object:
    """Run a function in an eager task, as commands are run."""
    task = start_task(function(), asyncio.current_task())
    return task.value if isinstance(task, Returned) else await task


def suspended(coroutine: Coroutine[Any, Any, object]) -> asyncio.Task[object]:
    """Start a coroutine that is suspended, and return its task."""
    task = start_task(coroutine, asyncio.current_task())
    assert isinstance(task, asyncio.Task)
    return task


def run(scene: Callable[[], Awaitable[object]]) -> object:
    """Run a scene in a new event loop, within a time limit."""

    async def bounded() -> object:
        return await asyncio.wait_for(scene(), 5)

    return asyncio.run(bounded())


def test_a_short_coroutine_ends_before_the_caller_is_suspended() -> None:
    async def short() -> str:
        return "done"

    async def scene() -> object:
        later = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(later.set_result, None)
        result = await outcome(short)
        assert not later.done()
        return result

    assert run(scene) == "done"


@pytest.mark.parametrize("seconds", [0, 0.001])
def test_the_task_is_the_current_one_throughout(seconds: float) -> None:
    async def observed() -> list[object]:
        before = asyncio.current_task()
        await asyncio.sleep(seconds)
        return [before, asyncio.current_task()]

    async def scene() -> None:
        caller = asyncio.current_task()
        task = suspended(observed())
        assert asyncio.current_task() is caller
        assert await task == [task, task]

    run(scene)


def test_context_variables_do_not_leak() -> None:
    async def sets() -> int:
        number.set(7)
        await asyncio.sleep(0)
        return number.get()

    async def scene() -> list[object]:
        return [await outcome(sets), number.get()]

    assert run(scene) == [7, 0]


def test_time_limits_end_only_what_they_enclose() -> None:
    async def limited() -> list[str]:
        passed = []
        try:
            async with asyncio.timeout(0.001):
                await asyncio.Event().wait()
        except TimeoutError:
            passed.append("asyncio")
        return passed

    async def scoped() -> bool:
        with anyio.move_on_after(0.001) as scope:
            await asyncio.Event().wait()
        return scope.cancelled_caught

    async def scene() -> list[object]:
        return [await outcome(limited), await outcome(scoped)]

    assert run(scene) == [["asyncio"], True]


def test_several_tasks_may_await_the_same_future_at_first() -> None:
    async def scene() -> list[object]:
        shared: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        async def awaits() -> str:
            return await shared

        begun = [suspended(awaits()) for _ in range(3)]
        asyncio.get_running_loop().call_later(0.001, shared.set_result, "shared")
        return await asyncio.gather(*begun, awaits())

    assert run(scene) == ["shared"] * 4


def test_a_future_may_be_done_before_the_task_awaits_it() -> None:
    async def scene() -> object:
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        async def awaits() -> str:
            return await future

        task = suspended(awaits())
        future.set_result("soon")
        return await task

    assert run(scene) == "soon"


@pytest.mark.parametrize("awaited", ["future", "sleep"])
def test_a_task_cancelled_at_once_is_cancelled_where_it_waits(awaited: str) -> None:
    async def scene() -> object:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        async def cleans_up() -> str:
            try:
                await (future if awaited == "future" else asyncio.sleep(0))
            except asyncio.CancelledError:
                await asyncio.sleep(0)
                return "cleaned up"
            return "not cancelled"

        task = suspended(cleans_up())
        task.cancel()
        result = await task
        assert future.cancelled() == (awaited == "future")
        return result

    assert run(scene) == "cleaned up"


@pytest.mark.parametrize("waits", [False, True])
def test_a_coroutine_that_cancels_its_task_does_not_cancel_the_caller(waits: bool) -> None:
    async def cancels_itself() -> str:
        task = asyncio.current_task()
        assert task
        task.cancel()
        if waits:
            await asyncio.Event().wait()
        return "never"

    async def scene() -> None:
        with pytest.raises(asyncio.CancelledError):
            await outcome(cancels_itself)
        caller = asyncio.current_task()
        assert caller
        assert not caller.cancelling()

    run(scene)


@pytest.mark.parametrize("waits", [False, True])
def test_an_exception_reaches_whoever_waits_and_nobody_else(
    waits: bool, caplog: pytest.LogCaptureFixture
) -> None:
    async def fails() -> None:
        if waits:
            await asyncio.sleep(0)
        raise LookupError("on purpose")

    async def scene() -> None:
        with pytest.raises(LookupError, match="on purpose"):
            await outcome(fails)
        await asyncio.sleep(0.001)

    run(scene)
    assert not caplog.records


def test_eager_tasks_may_be_nested() -> None:
    async def inner() -> object:
        return asyncio.current_task()

    async def outer() -> list[object]:
        before = asyncio.current_task()
        return [before, await outcome(inner), asyncio.current_task()]

    async def scene() -> None:
        result = await outcome(outer)
        assert isinstance(result, list)
        before, within, after = result
        assert before is after
        assert before is not within
        assert asyncio.current_task() not in result

    run(scene)


def test_what_is_no_future_cannot_be_awaited() -> None:
    class Odd:
        def __await__(self) -> Any:
            yield "nonsense"

    async def awaits() -> None:
        await Odd()

    async def scene() -> None:
        with pytest.raises(RuntimeError, match="bad yield"):
            await outcome(awaits)

    run(scene)
