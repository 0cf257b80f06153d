"""Run commands, from their text to their reply, for every transport."""

from __future__ import annotations

import time

from stringd.api.replies import Outcome
from stringd.api.runtime import Disconnected, Runtime
from stringd.errors import ErrorCode
from stringd.extensions.catalogue import Catalogue
from stringd.sessions.answer_limit import Bound
from stringd.sessions.execution import Execution
from stringd.sessions.live_session import LiveSession, current_task
from stringd.sessions.running_command import RunningCommand, Sent
from stringd.text.command_line import LABEL_LENGTH, first_line, label, parse_command
from stringd.text.masking import without_url_passwords
from stringd.workers.guarded_calls import as_error


class Runner:
    """Runs commands in sessions; every command gets a reply."""

    def __init__(self, runtime: Runtime, catalogue: Catalogue, bound: Bound) -> None:
        self._runtime = runtime
        self._catalogue = catalogue
        self._bound = bound

    def receive(
        self,
        session: LiveSession,
        text: str,
        *,
        arrived: float | None = None,
        disconnected: Disconnected | None = None,
        request_id: str | None = None,
    ) -> Sent:
        """Parse a text that was sent to a session; the time of arrival is now by default."""
        line = parse_command(text) if text.startswith(session.slash) else None
        text = line.text if line else text.rstrip()
        urgent = self._catalogue.urgent_by_type[session.name.type].get(line.word) if line else None
        shown = without_url_passwords(text)
        failure: Exception | None = None
        try:
            is_urgent = line is not None and urgent is not None and urgent.is_urgent(line)
        except BaseException as error:
            is_urgent, failure = False, as_error(error)
        return Sent(
            text=text,
            shown=shown,
            first_line=first_line(shown),
            line=line,
            is_urgent=is_urgent,
            arrived=time.monotonic() if arrived is None else arrived,
            disconnected=disconnected,
            request_id=request_id,
            failure=failure,
        )

    async def run(self, session: LiveSession, running: RunningCommand) -> Outcome:
        """Execute the command."""
        started = time.perf_counter()
        execution = Execution(self._runtime, self._catalogue, self._bound, session, running)
        code: str | None = ErrorCode.CANCELLED
        size = 0
        try:
            reply = await execution.reply()
            code, size = reply.code, len(reply.system) + len(reply.content or "")
        finally:
            line = execution.first_line
            execution.events.end(line, code=code, seconds=time.perf_counter() - started, size=size)
        shown = line if len(line) <= LABEL_LENGTH else label(line)
        return Outcome(label=shown, reply=reply, document=session.state.document)

    def refuse_waiting(self, session: LiveSession, sent: Sent) -> Outcome:
        """Reply to a command that was cancelled before its turn."""
        running = RunningCommand(sent, current_task())
        execution = Execution(self._runtime, self._catalogue, self._bound, session, running)
        reply = execution.refuse_waiting()
        return Outcome(label=label(execution.shown), reply=reply, document=session.state.document)
