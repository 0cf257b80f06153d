"""The store of long answers keeps the newest ones that its bounds have room for."""

from __future__ import annotations

import asyncio
import random
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from stringd.api.outputs import KeptOutput
from stringd.api.sessions import Session
from stringd.storage.output_store import LARGEST_OF_ALL, LARGEST_OF_TOPIC, OutputStore

NOISE = KeptOutput(label="/exec noise", text=random.Random(1).randbytes(10_000).hex(), is_plain=True)
SIZE = len(zlib.compress(NOISE.text.encode(), 1))


def session(topic: str) -> Session:
    user, name = SimpleNamespace(id="default"), SimpleNamespace(text=topic)
    return cast("Session", SimpleNamespace(user=user, name=name))


def kept_after(folder: Path, topics: str, *, of_topic: float, of_all: float) -> list[tuple[str, int]]:
    """Return which outputs are left when each of the topics has kept one, in order."""
    store = OutputStore(print, largest_of_topic=int(of_topic), largest_of_all=int(of_all))
    store.open(folder)

    async def keep() -> list[tuple[str, int]]:
        for topic in topics:
            await store.keep(session(topic), NOISE)
        return [(it, found.number) for it in "ab" for found in await store.kept(session(it))]

    try:
        return asyncio.run(keep())
    finally:
        store.close()


@pytest.mark.requirement("answers.kept.bounded")
def test_a_topic_keeps_the_newest_that_fit(tmp_path: Path) -> None:
    left = kept_after(tmp_path, "aaabaa", of_topic=SIZE * 3.5, of_all=SIZE * 100)
    assert left == [("a", 3), ("a", 4), ("a", 5), ("b", 1)]


@pytest.mark.requirement("answers.kept.bounded")
def test_all_topics_together_keep_the_newest_that_fit(tmp_path: Path) -> None:
    left = kept_after(tmp_path, "aabab", of_topic=SIZE * 100, of_all=SIZE * 3.5)
    assert left == [("a", 3), ("b", 1), ("b", 2)]


@pytest.mark.requirement("answers.kept.bounded")
def test_the_newest_is_kept_however_large(tmp_path: Path) -> None:
    assert kept_after(tmp_path, "aa", of_topic=1, of_all=SIZE * 100) == [("a", 2)]


@pytest.mark.requirement("answers.kept.bounded")
def test_the_file_stays_small(tmp_path: Path) -> None:
    kept_after(tmp_path, "ab" * 100, of_topic=SIZE * 3.5, of_all=SIZE * 6)
    assert sum(it.stat().st_size for it in tmp_path.iterdir()) < SIZE * 30
    assert LARGEST_OF_TOPIC < LARGEST_OF_ALL
