"""Changes at other nodes are handled one after the other, whatever fails."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from stringd.plugin import StorageFailed
from stringd_cluster.stores import changes_elsewhere
from stringd_cluster.stores.changes_elsewhere import ChangesElsewhere


def test_a_failure_of_one_change_leaves_the_others(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes_elsewhere, "_RETRY_SECONDS", 0.01)
    tried: Counter[str] = Counter()

    async def changed() -> None:
        done = asyncio.Event()

        async def handle(key: str) -> None:
            tried[key] += 1
            if key == "broken":
                raise ValueError("no such row")
            if key == "unread" and tried[key] < 3:
                raise StorageFailed("the database is away")
            if tried.keys() == {"broken", "unread", "read"} and key == "unread":
                done.set()

        changes = ChangesElsewhere(handle, "the users can't be read")
        for key in ("broken", "unread", "read"):
            changes.add(key)
        async with asyncio.timeout(10):
            await done.wait()

    asyncio.run(changed())
    assert tried == {"broken": 1, "unread": 3, "read": 1}
    assert "broken is left until it changes again" in caplog.text
    assert caplog.text.count("the users can't be read yet") == 1
