"""Share the events, questions and operators of this node with the others as long as it runs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

from stringd.plugin import Runtime, StorageFailed
from stringd.plugin.events import EventSharing
from stringd_cluster.sharing.attendance import Attendance, SharedAttendance
from stringd_cluster.sharing.event_reader import EventReader
from stringd_cluster.sharing.event_trimming import trim_events
from stringd_cluster.sharing.event_writer import EventWriter
from stringd_cluster.sharing.question_mirror import QuestionMirror
from stringd_cluster.sharing.questions_elsewhere import QuestionsElsewhere
from stringd_cluster.sharing.recorded_positions import RecordedPositions
from stringd_cluster.sharing.sharing_node import RETRY_SECONDS, SharingNode

log = logging.getLogger(__name__)

# Leases that end are not announced.
_LOOK_SECONDS = 1.0
_TRIM_SECONDS = 60.0
_AGAIN_SECONDS = 5.0


class ActivitySharing:
    """Begins to share when it is made, so that nothing that happens later is missed; `run` does the rest."""

    def __init__(self, runtime: Runtime, node: SharingNode) -> None:
        self._events, self._questions = runtime.events, runtime.questions
        self._node = node
        self.elsewhere = QuestionsElsewhere(node)
        self._attendance = SharedAttendance(node)
        self._writer = EventWriter(runtime.events, node)
        self._reader = EventReader(runtime.events, node)
        self._mirror = QuestionMirror(runtime.questions, node)
        self._look = asyncio.Event()
        positions = RecordedPositions(runtime.events, node, self._writer)
        runtime.events.share(EventSharing(node=node.name, missed=positions.missed, wanted=self._look.set))
        runtime.questions.share(self.elsewhere)
        node.notifications.listen("stringd_events", self._reader.notify)
        for channel in ("stringd_questions", "stringd_presence", "stringd_nodes"):
            node.notifications.listen(channel, lambda _: self._look.set())

    async def run(self) -> None:
        """Share until the daemon has stopped: the last events are written then."""
        steps = (
            self._reader.run,
            partial(trim_events, self._node),
            self._mirror.run,
            self._follow,
            self._follow_operator,
            self._trim,
        )
        tasks = [asyncio.create_task(_kept_running(it)) for it in steps]
        try:
            await self._writer.run()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _follow(self) -> None:
        while True:
            self._look.clear()
            await self._tried(self._read_others)
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_SECONDS):
                    await self._look.wait()

    async def _follow_operator(self) -> None:
        with self._questions.watched() as changed:
            while True:
                changed.clear()
                if await self._tried(self._write_attendance):
                    await changed.wait()
                else:
                    await asyncio.sleep(RETRY_SECONDS)

    async def _read_others(self) -> None:
        await self._write_attendance()
        others = await self._attendance.others()
        self._writer.want_output(others.wants_output)
        has_changed = await self.elsewhere.read() or others.has_operator != self.elsewhere.has_operator
        self.elsewhere.has_operator = others.has_operator
        if has_changed:
            self._questions.others_changed()

    async def _write_attendance(self) -> None:
        here = Attendance(self._questions.is_attended_here, self._events.wants_output_of_others)
        await self._attendance.write(here)

    async def _trim(self) -> None:
        while True:
            await asyncio.sleep(_TRIM_SECONDS)
            await self._tried(self.elsewhere.trim)
            await self._tried(self._attendance.trim)

    async def _tried(self, step: Callable[[], Awaitable[None]]) -> bool:
        try:
            await step()
        except StorageFailed as failure:
            log.debug("the activity of other nodes can't be followed: %s", failure)
            return False
        return True


async def _kept_running(step: Callable[[], Awaitable[None]]) -> None:
    """Begin a step again after it has failed unexpectedly, such as at what a later version has written."""
    while True:
        try:
            await step()
        except Exception:
            log.exception("a part of the sharing of activity failed, and begins again")
            await asyncio.sleep(_AGAIN_SECONDS)
