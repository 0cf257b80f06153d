"""The topic type `run`: the topic `run:ID` is the run with this id."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from stringd.plugin import Runtime, Topic, TopicContext, TopicType
from stringd_runs.running.run_event_kinds import TOPIC_TYPE

if TYPE_CHECKING:
    from stringd_runs.running.runs import Runs


def run_topic_type(runs_of: Callable[[Runtime], Runs]) -> TopicType:
    """Return the topic type for the runs of a daemon."""

    @asynccontextmanager
    async def open_run(context: TopicContext) -> AsyncIterator[Topic]:
        from stringd_runs.run_topic.followed_run import FollowedRun

        yield FollowedRun(context.session, partial(runs_of, context.runtime))

    return TopicType(
        name=TOPIC_TYPE,
        summary="A run of a strategy: start, watch, steer and continue it.",
        open=open_run,
        brief="Several agents at work: /open strategies/FILE, /start TASK, then /answer, /steer TEXT, "
        "/refresh, /stop.",
    )
