"""Requests that are cancelled at any moment: the log says how each pipeline that was to start has ended."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, cast

import pytest

from stringd_approval.audit.audit_log import AuditLog
from stringd_approval.broker import Broker
from stringd_approval.executing.executor import Executor
from stringd_approval.listening.replay_guard import ReplayGuard
from stringd_approval.policy.policy_file import PolicyFile
from tests.approval.daemons import ALLOW_ALL, write_policy
from tests.approval.executing.running import request

STEPS = (*range(12), *range(20, 4000, 200))


@pytest.mark.requirement("approval.request.logged")
def test_each_start_has_an_end_whenever_the_request_is_cancelled(tmp_path: Path) -> None:
    write_policy(tmp_path, ALLOW_ALL)
    cancelled = asyncio.run(_cancel_after_steps(tmp_path))
    logged = [json.loads(it) for it in (tmp_path / "audit.jsonl").read_text().splitlines()]
    started = [it["id"] for it in logged if it["kind"] == "start"]
    ended = {it["id"]: it["outcome"] for it in logged if it["kind"] == "end"}
    assert set(started) & set(cancelled)
    assert set(started) <= ended.keys()
    outcomes = {ended[it] for it in started if it in cancelled}
    # A pipeline may have ended just before its request is cancelled.
    assert {"cancelled"} <= outcomes <= {"cancelled", "ok"}


async def _cancel_after_steps(folder: Path) -> list[str]:
    """Cancel one request after no step of the event loop, one after one, and so on; return their ids."""
    broker = Broker(
        policies=PolicyFile(folder),
        replay=ReplayGuard(folder / "ids"),
        audit=AuditLog(folder),
        decider=cast("Any", None),
        executor=Executor(),
        passwords=cast("Any", None),
    )
    cancelled = []
    for steps in STEPS:
        handling = asyncio.create_task(broker.handle(request(("true",), id=f"{steps}")))
        for _ in range(steps):
            await asyncio.sleep(0)
        if handling.cancel():
            cancelled.append(f"{steps}")
        await asyncio.wait({handling})
    broker.executor.close()
    await broker.audit.close()
    broker.replay.close()
    return cancelled
