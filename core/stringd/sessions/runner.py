"""Run commands, from their text to their reply, for every transport."""

from __future__ import annotations

import logging
import time

from stringd.api.commands import CommandEvent
from stringd.api.replies import Outcome
from stringd.api.runtime import Runtime
from stringd.extensions.catalogue import Catalogue
from stringd.sessions.execution import Execution, Sent
from stringd.sessions.live_session import LiveSession
from stringd.text.command_line import LONGEST_HEAD, parse_command

log = logging.getLogger(__name__)


class Runner:
    """Runs commands in sessions; every command gets a reply."""

    def __init__(self, runtime: Runtime, catalogue: Catalogue) -> None:
        self._runtime = runtime
        self._catalogue = catalogue

    def is_urgent(self, session: LiveSession, text: str) -> bool:
        """Whether a text names an urgent command."""
        urgent = self._catalogue.urgent_of(session.name.type)
        if not urgent or not text.startswith(session.slash):
            return False
        return parse_command(text[:LONGEST_HEAD]).word in urgent

    async def run(self, session: LiveSession, sent: Sent) -> Outcome:
        """Execute the command and notify the observers."""
        started = time.perf_counter()
        execution = Execution(self._runtime, self._catalogue, session, sent)
        reply = await execution.reply()
        outcome = Outcome(label=execution.label, reply=reply, document=session.state.document)
        if self._catalogue.observers:
            self._notify(session, outcome, time.perf_counter() - started)
        return outcome

    def _notify(self, session: LiveSession, outcome: Outcome, seconds: float) -> None:
        event = CommandEvent(
            user_id=session.user.id,
            topic=str(session.name),
            label=outcome.label,
            code=outcome.reply.code,
            seconds=seconds,
        )
        for observer in self._catalogue.observers:
            try:
                observer.on_event(event)
            except BaseException:
                log.exception("observer %s failed", observer.name)
