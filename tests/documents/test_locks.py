"""Edits of one file never overlap, and are never interrupted."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path

import pytest

from stringd.documents.editing.file_locks import FileLocks, finish


def test_locks_are_per_path() -> None:
    async def main() -> None:
        locks, order = FileLocks(), []

        async def work(name: str, path: str) -> None:
            async with locks.hold(Path(path)):
                order.append(f"{name} begins")
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                order.append(f"{name} ends")

        await asyncio.gather(work("first", "/a"), work("second", "/a"), work("other", "/b"))
        assert order.index("first ends") < order.index("second begins")
        assert order.index("other begins") < order.index("first ends")

    asyncio.run(main())


def test_unused_lock_is_forgotten() -> None:
    async def main() -> None:
        locks = FileLocks()
        async with locks.hold(Path("/a")):
            assert len(locks) == 1
        gc.collect()
        assert len(locks) == 0

    asyncio.run(main())


def test_cancellation_waits_for_the_work() -> None:
    async def main() -> None:
        begun, go_on, done = asyncio.Event(), asyncio.Event(), []

        async def work() -> None:
            begun.set()
            await go_on.wait()
            done.append(True)

        task = asyncio.create_task(finish(work()))
        await begun.wait()
        for _ in range(2):
            task.cancel()
            await asyncio.sleep(0)
        assert not task.done()
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert done

    asyncio.run(main())


def test_failure_of_the_work_is_raised() -> None:
    async def main() -> None:
        async def work() -> None:
            raise ValueError("no")

        with pytest.raises(ValueError, match="no"):
            await finish(work())

    asyncio.run(main())
