"""The topics of runs in memory end with them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from stringd.config import Config
from stringd.server.app import make_runtime
from stringd_runs.tools.run_topics import end_topics, last_part


@pytest.mark.requirement("runs.agents.tools.topics.end")
def test_all_topics_of_a_run_end_and_no_others(tmp_path: Path) -> None:
    async def check() -> None:
        runtime = make_runtime(Config(data_dir=tmp_path / "data"))
        with runtime.opened():
            for user in ("ann", "bob"):
                await runtime.users.register(user, tmp_path, None)
                for topic in (f"file:{last_part('r')}", f"app:x:{last_part('r')}", "file:r", "file:run-r2"):
                    await runtime.execute(user, runtime.topic_name(topic), "/info")
            await end_topics(runtime, "ann", "r")
            assert sorted(it.topic for it in runtime.sessions("ann")) == ["file:r", "file:run-r2"]
            assert len(runtime.sessions("bob")) == 4
            await runtime.stop(1, 1)
        await runtime.aclose()

    asyncio.run(asyncio.wait_for(check(), 20))
