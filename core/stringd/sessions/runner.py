"""Run commands, from their text to their reply, for every transport."""

from __future__ import annotations

import time

from stringd.api.events import CommandEnded
from stringd.api.replies import Outcome, Reply
from stringd.api.runtime import Runtime
from stringd.extensions.catalogue import Catalogue
from stringd.sessions.execution import Execution
from stringd.sessions.live_session import LiveSession, current_task
from stringd.sessions.running_command import RunningCommand, Sent
from stringd.text.command_line import LONGEST_HEAD, parse_command


class Runner:
    """Runs commands in sessions; every command gets a reply."""

    def __init__(self, runtime: Runtime, catalogue: Catalogue) -> None:
        self._runtime = runtime
        self._catalogue = catalogue

    def is_urgent(self, session: LiveSession, text: str) -> bool:
        """Tell whether a command's text names a command that waits for no turn."""
        urgent = self._catalogue.urgent_by_type[session.name.type]
        if not urgent or not text.startswith(session.slash):
            return False
        return parse_command(text[:LONGEST_HEAD]).word in urgent

    async def run(self, session: LiveSession, running: RunningCommand) -> Outcome:
        """Execute the command."""
        started = time.perf_counter()
        execution = Execution(self._runtime, self._catalogue, session, running)
        return self._ended(session, running.sent, execution, await execution.reply(), started)

    def refuse_waiting(self, session: LiveSession, sent: Sent) -> Outcome:
        """Answer a command that was cancelled before its turn came."""
        running = RunningCommand(sent, current_task())
        execution = Execution(self._runtime, self._catalogue, session, running)
        reply = execution.refuse_waiting()
        return Outcome(label=execution.label, reply=reply, document=session.state.document)

    def _ended(
        self, session: LiveSession, sent: Sent, execution: Execution, reply: Reply, started: float
    ) -> Outcome:
        self._runtime.events.publish(
            CommandEnded(
                user_id=session.user.id,
                topic=session.name.text,
                request_id=sent.request_id,
                label=execution.whole_label,
                code=reply.code,
                seconds=time.perf_counter() - started,
                size=len(reply.system) + len(reply.content or ""),
            )
        )
        return Outcome(label=execution.label, reply=reply, document=session.state.document)
