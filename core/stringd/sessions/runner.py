"""From a command's text to its reply: the one way that every transport takes."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass

from stringd.api.commands import Command, CommandEvent, CommandLine, Invocation, Run
from stringd.api.replies import Outcome, Reply
from stringd.api.runtime import Disconnected, Runtime
from stringd.api.sessions import Topic
from stringd.errors import Refusal, RequestRefused, Unrecognised
from stringd.extensions.catalogue import Catalogue
from stringd.sessions.live_session import LiveSession
from stringd.text.command_line import LONGEST_HEAD, label, parse_command
from stringd.text.masking import masked_in_shell, masked_unknown
from stringd.text.nearest import nearest
from stringd.workers.threads import working_for

log = logging.getLogger(__name__)

_FAILED = "The command failed unexpectedly; the daemon's log says why."
_HELP_FLAGS = frozenset({"--help", "-h"})


@dataclass(frozen=True, slots=True)
class Sent:
    """A command's text, when it came, and how to learn that nobody waits for its reply."""

    text: str
    arrived: float
    disconnected: Disconnected | None = None


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a command's text comes down to."""

    run: Run
    line: CommandLine
    shown: str
    sent: Sent


class Runner:
    """Runs one command at a time in a session; whatever happens, there is a reply."""

    def __init__(self, runtime: Runtime, catalogue: Catalogue) -> None:
        self._runtime = runtime
        self._catalogue = catalogue

    def is_urgent(self, session: LiveSession, text: str) -> bool:
        """Tell whether a command's text names a command that waits for no turn."""
        urgent = self._catalogue.urgent_of(session.name.type)
        if not urgent or not text.startswith(session.slash):
            return False
        return parse_command(text[:LONGEST_HEAD]).word in urgent

    async def run(self, session: LiveSession, sent: Sent) -> Outcome:
        """Execute the command and tell the observers."""
        started = time.perf_counter()
        try:
            plan = self._plan(session, sent)
        except Refusal as refusal:
            shown, reply = self._refuse_unplanned(session, sent.text, refusal)
        else:
            shown, reply = await self._reply(session, plan)
        if self._catalogue.observers:
            self._tell(session, shown, reply, time.perf_counter() - started)
        return Outcome(label=shown, reply=reply, document=session.state.document)

    def _refuse_unplanned(self, session: LiveSession, text: str, refusal: Refusal) -> tuple[str, Reply]:
        """Return the label and the reply of what is no command; its text may be a secret of the topic's."""
        command = self._command(session, parse_command(text)) if text.startswith("/") else None
        known = _shown(command, text) if command else masked_unknown(text[:LONGEST_HEAD])
        topic = session.lifetime.current
        shown = topic.masked(known) if topic else known
        if topic and shown != known:
            message = f"Unknown command: {label(shown)}"
            refusal = Refusal(refusal.code, message, topic.advice())
        return label(shown), _refused(refusal)

    def _plan(self, session: LiveSession, sent: Sent) -> _Plan:
        cmd, plain_text = sent.text, session.topic_type.plain_text
        if plain_text and not cmd.startswith("//"):
            return _Plan(plain_text, CommandLine(text=cmd), masked_in_shell(cmd), sent)
        if not cmd.startswith("/"):
            raise Refusal("COMMAND_UNSUPPORTED", "Commands must start with /. Use /help for details.")
        line = parse_command(cmd)
        command = self._find(session, line)
        shown = _shown(command, cmd)
        if line.arguments in _HELP_FLAGS and line.word == command.name:
            return _Plan(_explain(command), line, shown, sent)
        _check_shape(command, line)
        return _Plan(command.run, line, shown, sent)

    def _find(self, session: LiveSession, line: CommandLine) -> Command:
        command = self._command(session, line)
        if command is None:
            commands = self._catalogue.commands_of(session.name.type)
            slash = session.topic_type.slash
            meant = nearest(line.word, commands)
            hint = f"Did you mean {slash}{meant}? " if meant else ""
            typed = masked_unknown(line.text[:LONGEST_HEAD]).split(maxsplit=1)[0].replace("//", "/", 1)
            message = f"Unknown command: {label(typed)}"
            raise Refusal("COMMAND_UNSUPPORTED", message, f"{hint}{slash}help lists the commands.")
        return command

    def _command(self, session: LiveSession, line: CommandLine) -> Command | None:
        commands = self._catalogue.commands_of(session.name.type)
        return commands.get(line.word) or _owner(line.word, commands)

    async def _reply(self, session: LiveSession, plan: _Plan) -> tuple[str, Reply]:
        """Return the label, masked by the topic as it is before the command runs, and the reply."""
        shown = plan.shown
        try:
            topic = await session.lifetime.topic()
            shown = topic.masked(shown)
            return label(shown), await self._execute(session, topic, plan)
        except Refusal as refusal:
            known = masked_unknown(shown) if isinstance(refusal, Unrecognised) else shown
            return label(known), _refused(refusal)
        except RequestRefused as refusal:
            return label(shown), _refused(refusal.as_refusal())
        except (Exception, SystemExit, KeyboardInterrupt, asyncio.CancelledError) as error:
            if isinstance(error, asyncio.CancelledError) and _is_cancelled():
                return label(shown), _ended(session)
            log.exception("%s of %s:%s failed", label(shown), session.user.id, session.name)
            return label(shown), Reply.error("INTERNAL_ERROR", _FAILED)

    async def _execute(self, session: LiveSession, topic: Topic, plan: _Plan) -> Reply:
        invocation = Invocation(
            line=plan.line,
            session=session,
            topic=topic,
            runtime=self._runtime,
            arrived=plan.sent.arrived,
            disconnected=plan.sent.disconnected,
        )
        with working_for(f"{session.user.id}:{session.name}", self._runtime.workers):
            for interceptor in self._catalogue.interceptors:
                refusal = await interceptor.check(invocation)
                if refusal is not None:
                    return _expect_reply(refusal)
            return _expect_reply(await plan.run(invocation))

    def _tell(self, session: LiveSession, shown: str, reply: Reply, seconds: float) -> None:
        event = CommandEvent(
            user_id=session.user.id,
            topic=str(session.name),
            label=shown,
            code=reply.code,
            seconds=seconds,
        )
        for observer in self._catalogue.observers:
            try:
                observer.on_event(event)
            except (Exception, SystemExit, KeyboardInterrupt):
                log.exception("observer %s failed", observer.name)


def _shown(command: Command, text: str) -> str:
    return command.mask(text[:LONGEST_HEAD]) if command.mask else text


def _owner(word: str, commands: Mapping[str, Command]) -> Command | None:
    """Return the command that a word with a dot names a member of."""
    command = commands.get(word.partition(".")[0])
    return command if command and command.takes_members else None


def _expect_reply(reply: object) -> Reply:
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
    return Reply.error(session.ended.code or "", session.ended.message)


def _refused(refusal: Refusal) -> Reply:
    return Reply.error(refusal.code, refusal.message, *refusal.context)


def _check_shape(command: Command, line: CommandLine) -> None:
    usage = f"Usage: {command.usage}"
    if line.body is not None and not command.takes_body:
        message = f"/{command.name} takes no further lines: one command per request."
        raise Refusal("INVALID_PAYLOAD", message, usage)
    if line.arguments and not command.takes_arguments:
        raise Refusal("INVALID_PAYLOAD", f"/{command.name} takes no arguments.", usage)


def _explain(command: Command) -> Run:
    async def explain(_: Invocation) -> Reply:
        return command.explained()

    return explain
