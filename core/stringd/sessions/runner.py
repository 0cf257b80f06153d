"""Run commands, from their text to their reply, for every transport."""

from __future__ import annotations

import time

from stringd.api.events import CommandEnded
from stringd.api.replies import Outcome
from stringd.api.runtime import Runtime
from stringd.errors import ErrorCode
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
        code: str | None = ErrorCode.CANCELLED
        size = 0
        try:
            reply = await execution.reply()
            code, size = reply.code, len(reply.system) + len(reply.content or "")
        finally:
            label, request_id = execution.whole_label, running.sent.request_id
            self._runtime.events.publish_lazily(
                CommandEnded,
                len(label) + len(request_id or ""),
                user_id=session.user.id,
                topic=session.name.text,
                request_id=request_id,
                label=label,
                code=code,
                seconds=time.perf_counter() - started,
                size=size,
            )
        return Outcome(label=execution.label, reply=reply, document=session.state.document)

    def refuse_waiting(self, session: LiveSession, sent: Sent) -> Outcome:
        """Answer a command that was cancelled before its turn came."""
        running = RunningCommand(sent, current_task())
        execution = Execution(self._runtime, self._catalogue, session, running)
        reply = execution.refuse_waiting()
        return Outcome(label=execution.label, reply=reply, document=session.state.document)
