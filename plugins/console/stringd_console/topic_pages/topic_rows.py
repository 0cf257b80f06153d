"""The topics of all users, what runs in them, and on which node of a cluster."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from stringd.plugin import Runtime, SessionSummary
from stringd.plugin.text import first_line, shortened
from stringd_console.other_nodes import own_name, read_others, rows_of
from stringd_console.topic_pages.journal import journal_of

RUNNING_SECONDS = 1.0
"""What runs for a shorter time would only flicker."""
_PAGE = "topics"
_MOST_RUNNING = 12
_LONGEST_LABEL = 200


class TopicRow(Struct, frozen=True):
    """What lists show of one topic; `node` is `""` without a cluster, and while no node has the topic."""

    user_id: str
    topic: str
    topic_type: str
    title: str
    executing: bool
    waiting: int
    node: str = ""


class RunningRow(Struct, frozen=True):
    """What lists show of one command that has been running for a while."""

    user_id: str
    topic: str
    label: str
    begun: float


def here(runtime: Runtime) -> Mapping[str, Any]:
    """Return what this node has, for the others."""
    topics, running = _own_topics(runtime), _own_running(runtime)
    return {"topics": [asdict(it) for it in topics], "running": [asdict(it) for it in running]}


async def everywhere(runtime: Runtime) -> tuple[Sequence[TopicRow], Sequence[RunningRow]]:
    """Return the topics of all nodes, and what runs in them; the commands that run longest first."""
    topics, running = [*_own_topics(runtime)], [*_own_running(runtime)]
    if runtime.peers is None:
        return topics, running
    for node, answer in (await read_others(runtime, _PAGE)).items():
        topics += rows_of(answer, "topics", TopicRow, node=node)
        running += rows_of(answer, "running", RunningRow)
    known = {(it.user_id, it.topic) for it in topics}
    topics += [_resting(*it) for it in await runtime.peers.resting_topics() if it not in known]
    return topics, sorted(running, key=lambda it: it.begun)[:_MOST_RUNNING]


def _own_topics(runtime: Runtime) -> Sequence[TopicRow]:
    node = own_name(runtime)
    return [_row(it, node) for it in runtime.sessions(None)]


def _own_running(runtime: Runtime) -> Sequence[RunningRow]:
    latest = time.time() - RUNNING_SECONDS
    found = [(it, key) for it, key in journal_of(runtime).all_running if it.begun <= latest]
    return [
        RunningRow(*key, label=shortened(first_line(it.shown), _LONGEST_LABEL), begun=it.begun)
        for it, key in found[:_MOST_RUNNING]
    ]


def _resting(user_id: str, topic: str) -> TopicRow:
    topic_type = topic.partition(":")[0]
    return TopicRow(user_id, topic, topic_type, title="", executing=False, waiting=0)


def _row(topic: SessionSummary, node: str) -> TopicRow:
    document = topic.document
    return TopicRow(
        user_id=topic.user_id,
        topic=topic.topic,
        topic_type=topic.topic_type,
        title="" if document is None else document.title or document.uri,
        executing=topic.executing,
        waiting=topic.queue_length,
        node=node,
    )
