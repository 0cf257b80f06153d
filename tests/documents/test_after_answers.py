"""What edits leave to be done after their answers."""

from __future__ import annotations

import asyncio

import pytest

from stringd.documents.editing.after_answers import finish_left, leave


def test_work_that_fails_fails_no_other_edit(caplog: pytest.LogCaptureFixture) -> None:
    done: list[int] = []

    def fail() -> None:
        raise RuntimeError("a fault of one edit")

    async def edit() -> None:
        leave(fail)
        leave(lambda: done.append(1))
        finish_left()

    asyncio.run(edit())
    assert done == [1]
    assert "a fault of one edit" in caplog.text
