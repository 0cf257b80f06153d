"""The topics in which the tools of a run work, which end when the run leaves memory."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from stringd.plugin import Runtime, StorageFailed

log = logging.getLogger(__name__)

_PREFIX = "run-"


def last_part(run_id: str) -> str:
    """Return the last part of the names of a run's topics."""
    return f"{_PREFIX}{run_id}"


async def end_topics(runtime: Runtime, user_id: str, run_id: str) -> None:
    """End all topics of a run, and delete their state."""
    for other, found, topic in tuple(run_topics(runtime)):
        if (other, found) == (user_id, run_id):
            try:
                await runtime.end_session(user_id, runtime.topic_name(topic))
            except StorageFailed as failure:
                log.warning("the topic %s of %s stays: %s", topic, user_id, failure)


def run_topics(runtime: Runtime) -> Iterator[tuple[str, str, str]]:
    """Yield the user, run and name of each topic that is called like those of runs."""
    for it in runtime.sessions():
        part = it.topic.rpartition(":")[2]
        if part.startswith(_PREFIX):
            yield it.user_id, part.removeprefix(_PREFIX), it.topic
