"""From a command's text to its reply: the one way that every transport takes."""

from __future__ import annotations

import asyncio
import logging
import time
from difflib import get_close_matches

from stringd.contracts.commands import Command, CommandEvent, CommandLine, Invocation, Run
from stringd.contracts.daemon import Daemon
from stringd.contracts.replies import Reply
from stringd.errors import Refusal
from stringd.host.catalogue import Catalogue
from stringd.sessions.live import LiveSession
from stringd.text.command_line import label, parse_command

log = logging.getLogger(__name__)


class Runner:
    """Runs one command at a time in a session; whatever happens, there is a reply."""

    def __init__(self, daemon: Daemon, catalogue: Catalogue) -> None:
        self._daemon = daemon
        self._catalogue = catalogue

    async def run(self, session: LiveSession, cmd: str) -> Reply:
        """Execute the command and tell the observers."""
        started = time.perf_counter()
        reply = await self._reply(session, cmd)
        if self._catalogue.observers:
            self._tell(session, cmd, reply, time.perf_counter() - started)
        return reply

    async def _reply(self, session: LiveSession, cmd: str) -> Reply:
        try:
            return await self._execute(session, cmd)
        except Refusal as refusal:
            return Reply.error(refusal.code, refusal.message, *refusal.context)
        except (Exception, SystemExit, asyncio.CancelledError) as error:
            if isinstance(error, asyncio.CancelledError) and _is_cancelled():
                return _ended(session)
            log.exception("%s of %s:%s failed", label(cmd), session.user.id, session.name)
            return Reply.error(
                "INTERNAL_ERROR", "The command failed unexpectedly; the daemon's log says why."
            )

    async def _execute(self, session: LiveSession, cmd: str) -> Reply:
        run, line = self._resolve(session, cmd)
        topic = await session.keeper.topic()
        invocation = Invocation(line=line, session=session, topic=topic, daemon=self._daemon)
        for gate in self._catalogue.gates:
            refusal = await gate.check(invocation)
            if refusal is not None:
                return _checked(refusal)
        return _checked(await run(invocation))

    def _resolve(self, session: LiveSession, cmd: str) -> tuple[Run, CommandLine]:
        topic_type = session.topic_type
        if topic_type.plain_text and not cmd.startswith("//"):
            return topic_type.plain_text, CommandLine(text=cmd)
        if not cmd.startswith("/"):
            raise Refusal("COMMAND_UNSUPPORTED", "Commands must start with /. Use /help for details.")
        line = parse_command(cmd)
        command = self._find(session, line)
        if line.body is not None and not command.takes_body:
            message = f"/{command.name} takes no further lines: one command per request."
            raise Refusal("INVALID_PAYLOAD", message, f"Usage: {command.usage}")
        return command.run, line

    def _find(self, session: LiveSession, line: CommandLine) -> Command:
        commands = self._catalogue.commands_of(session.name.type)
        command = commands.get(line.word)
        if command is None:
            slash = "//" if session.topic_type.plain_text else "/"
            nearest = get_close_matches(line.word, commands, n=1)
            hint = f"Did you mean {slash}{nearest[0]}? " if nearest else ""
            typed = line.text.split(maxsplit=1)[0].replace("//", "/", 1)
            raise Refusal(
                "COMMAND_UNSUPPORTED", f"Unknown command: {typed}", f"{hint}{slash}help lists the commands."
            )
        return command

    def _tell(self, session: LiveSession, cmd: str, reply: Reply, seconds: float) -> None:
        event = CommandEvent(
            user_id=session.user.id,
            topic=str(session.name),
            label=label(cmd),
            code=reply.code,
            seconds=seconds,
        )
        for observer in self._catalogue.observers:
            try:
                observer.on_event(event)
            except (Exception, SystemExit):
                log.exception("observer %s failed", observer.name)


def _checked(reply: object) -> Reply:
    if not isinstance(reply, Reply):
        raise TypeError(f"expected a Reply, got {reply!r}")
    return reply


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _ended(session: LiveSession) -> Reply:
    task = asyncio.current_task()
    if session.ended is None or task is None:
        raise asyncio.CancelledError
    task.uncancel()
    return Reply.error(session.ended.code or "", session.ended.message)
