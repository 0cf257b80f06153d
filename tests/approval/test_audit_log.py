"""The log: what a line has, and that entries are there when their append returns."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from stringd_approval.audit.audit_log import AuditLog
from stringd_approval.audit.log_line import ZERO, digest_of


def lines(data_dir: Path, name: str = "audit.jsonl") -> list[bytes]:
    return (data_dir / name).read_bytes().splitlines(keepends=True)


@pytest.mark.requirement("approval.audit.line", "approval.audit.chain")
def test_each_line_is_an_object_with_the_hash_of_the_line_before(tmp_path: Path) -> None:
    async def write() -> None:
        log = AuditLog(tmp_path)
        await log.append("arrival", sync=False, id="a", argv=[["echo", "\u2028é\n"]])
        await log.append("start", sync=True, id="a")
        await log.close()

    asyncio.run(write())
    first, second = lines(tmp_path)
    assert json.loads(first)["argv"] == [["echo", "\u2028é\n"]]
    assert [json.loads(it)["kind"] for it in (first, second)] == ["arrival", "start"]
    assert json.loads(first)["prev"] == ZERO
    assert json.loads(second)["prev"] == digest_of(first)
    assert (tmp_path / "audit.jsonl").stat().st_mode & 0o777 == 0o600


@pytest.mark.requirement("approval.audit.group")
def test_entries_that_wait_together_are_written_together_in_order(tmp_path: Path) -> None:
    async def write() -> None:
        log = AuditLog(tmp_path)
        await asyncio.gather(*(log.append("start", sync=True, number=number) for number in range(200)))
        await log.close()

    asyncio.run(write())
    assert [json.loads(it)["number"] for it in lines(tmp_path)] == list(range(200))
