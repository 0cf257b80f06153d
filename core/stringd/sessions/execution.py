"""The execution of one command: parse, pass through interceptors, run, and always reply."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from stringd.api.commands import Command, CommandLine, Interceptor, Invocation, Run
from stringd.api.replies import Overflow, Reply
from stringd.api.runtime import Runtime
from stringd.api.secrets import Secrets
from stringd.api.sessions import Topic
from stringd.errors import ErrorCode, HomeMoved, Refusal, RequestRefused, Unrecognised
from stringd.events.command_events import CommandEvents
from stringd.events.output_feed import CURRENT_OUTPUT
from stringd.extensions.catalogue import Catalogue
from stringd.sessions.answer_limit import Bound, answer_limit, may_exceed
from stringd.sessions.command_lookup import (
    check_empty,
    check_shape,
    explain,
    fail_with,
    find_command,
    require_command,
)
from stringd.sessions.live_session import LiveSession
from stringd.sessions.running_command import CLEAN_UP_SECONDS, RunningCommand
from stringd.text.command_line import LONGEST_HEAD, first_line, label
from stringd.text.masking import MASK, masked_if_mistyped, masked_unknown, without_url_passwords
from stringd.workers.guarded_calls import is_signal
from stringd.workers.threads import CURRENT_WORK, Work

log = logging.getLogger(__name__)

UNEXPECTED = Reply.error(
    ErrorCode.INTERNAL_ERROR, "The command failed unexpectedly; the daemon's log says why."
)
_CANCELLED = Reply.error(ErrorCode.CANCELLED, "The command was cancelled.")
_ABANDONED = replace(
    _CANCELLED, context=(f"It did not end within {CLEAN_UP_SECONDS:g} s and may still be running.",)
)
_CUT_BY_A_MOVE = Reply.error(
    ErrorCode.OUTCOME_UNKNOWN,
    "The user's home moved while the command ran: it was interrupted, and may have run in part.",
)
_HELP_FLAGS = frozenset({"--help", "-h"})


class _Plan(NamedTuple):
    """The function that a text calls, and its command line.

    The secret arguments of a member are known only once the command has found the member.
    """

    run: Run
    line: CommandLine
    has_member: bool = False


class Execution:
    """One run of a command; await `reply` once."""

    __slots__ = ("_bound", "_catalogue", "_running", "_runtime", "_sent", "_session", "events", "shown")

    def __init__(
        self,
        runtime: Runtime,
        catalogue: Catalogue,
        bound: Bound,
        session: LiveSession,
        running: RunningCommand,
    ) -> None:
        self._runtime = runtime
        self._catalogue = catalogue
        self._bound = bound
        self._session = session
        self._running = running
        self._sent = running.sent
        self.events = CommandEvents(
            events=runtime.events,
            user_id=session.user.id,
            topic=session.name.text,
            request_id=running.sent.request_id,
            session=session,
        )
        self.shown = MASK
        """The text with everything that may be secret masked; fully masked until it is parsed."""

    async def reply(self) -> Reply:
        """Run the command and return its reply, or the reply to its cancellation."""
        try:
            reply = await self._reply()
        except BaseException as error:
            reply = self._interrupted(error) if is_signal(error) else self._reply_to(error)
        if not self.events.has_begun:
            self._running.label = self.first_line
            self.events.begin(self._running.label)
        return self._cancelled(reply) if self._running.is_cancelled else reply

    @property
    def first_line(self) -> str:
        """The first line of what is shown of the text."""
        return self._first_line_of(self.shown)

    def _first_line_of(self, shown: str) -> str:
        return self._sent.first_line if shown is self._sent.shown else first_line(shown)

    def refuse_waiting(self) -> Reply:
        """Return the reply to a command that was cancelled before its turn came."""
        try:
            try:
                self._plan()
            except Refusal as refusal:
                self._refuse_unplanned(refusal)
            if topic := self._session.lifetime.current:
                self._mask_by(topic)
        except BaseException:
            log.exception("a command that waited in %s is shown masked", self._session.name)
            self.shown = MASK
        return _CANCELLED

    async def _reply(self) -> Reply:
        try:
            plan = self._plan()
        except Refusal as refusal:
            return self._refuse_unplanned(refusal)
        lifetime = self._session.lifetime
        topic = lifetime.current or await lifetime.topic()
        return await self._running.drive(self._run(plan, topic))

    def _interrupted(self, error: BaseException) -> Reply:
        """Return the reply to a cancellation by `cancel` or the end of the session; reraise any other."""
        if not isinstance(error, asyncio.CancelledError):
            raise error
        if self._running.is_cancelled:
            return _CANCELLED
        if ended := self._session.ended:
            # The code of a moved home would say that nothing has run.
            is_moved = isinstance(ended, HomeMoved)
            return _CUT_BY_A_MOVE if is_moved else Reply.error(ended.code or "", ended.message)
        raise error

    def _cancelled(self, reply: Reply) -> Reply:
        """Return the reply to a cancelled command, or its own reply if that also says so."""
        if self._running.is_abandoned:
            return _ABANDONED
        return reply if self._session.ended or reply.code == ErrorCode.CANCELLED else _CANCELLED

    def _plan(self) -> _Plan:
        sent, line = self._sent, self._sent.line
        if line is None:
            if not sent.text:
                check_empty(self._session.lifetime.current)
            plain_text = self._session.topic_type.plain_text
            if not plain_text:
                message = "Commands must start with /. Use /help for details."
                raise Refusal(ErrorCode.COMMAND_UNSUPPORTED, message)
            self.shown = masked_if_mistyped(sent.shown)
            return _Plan(plain_text, CommandLine(text=sent.text))
        command = require_command(self._catalogue, self._session, line)
        self._mask_by_command(command)
        if sent.failure:
            return _Plan(fail_with(sent.failure), line)
        if line.arguments in _HELP_FLAGS and line.word == command.name:
            return _Plan(explain(command), line)
        check_shape(command, line)
        return _Plan(command.run, line, has_member=command.takes_members)

    def _refuse_unplanned(self, refusal: Refusal) -> Reply:
        """Return the reply to an unknown command, whose text may be a secret."""
        shown, line = self._sent.shown, self._sent.line
        command = find_command(self._catalogue, self._session, line) if line else None
        if command:
            self._mask_by_command(command)
        else:
            self.shown = masked_unknown(shown[:LONGEST_HEAD])
        topic, known = self._session.lifetime.current, self.shown
        if topic:
            self._mask_by(topic)
            if self.shown != known:
                refusal = Refusal(refusal.code, f"Unknown command: {label(self.shown)}", topic.advice())
        return _refused(refusal)

    def _mask_by_command(self, command: Command) -> None:
        if command.mask:
            self.shown = f"{self._session.slash}{command.name} {MASK}"
            self.shown = _expect_text(command.mask(self._sent.shown[:LONGEST_HEAD]))
        else:
            self.shown = self._sent.shown

    def _mask_by(self, topic: Topic) -> None:
        known, self.shown = self.shown, MASK
        masked = topic.masked(known)
        # Looked at here rather than in a function, since every command passes here.
        self.shown = masked if isinstance(masked, str) else _expect_text(masked)

    async def _run(self, plan: _Plan, topic: Topic) -> Reply:
        """Run the command in a task of its own, and bound its reply."""
        runtime = self._runtime
        owner = f"{self._session.user.id}:{self._session.name.text}"
        # What one command has looked up, another one looks up anew.
        CURRENT_WORK.set(Work(owner=owner, workers=runtime.workers, loop=asyncio.get_running_loop()))
        self._mask_by(topic)
        shown = masked_unknown(self.shown) if plan.has_member else self.shown
        self._running.label = self._first_line_of(shown)
        self.events.begin(self._running.label, partial(_secret_names, topic, runtime.secrets))
        CURRENT_OUTPUT.set(self.events)
        invocation = self._invocation(plan.line, topic, shown)
        reply = await self._pass(plan.run, self._catalogue.interceptors, invocation)
        is_printed = reply.overflow is Overflow.HEAD_AND_TAIL
        most = answer_limit(self._session, runtime, is_printed=is_printed)
        return await self._bound(invocation, reply, most) if may_exceed(reply, most) else reply

    def _invocation(self, line: CommandLine, topic: Topic, shown: str) -> Invocation:
        sent = self._sent
        return Invocation(
            line=line,
            session=self._session,
            topic=topic,
            runtime=self._runtime,
            arrived=sent.arrived,
            disconnected=sent.disconnected,
            request_id=sent.request_id,
            label=self._running.label,
            shown=shown,
        )

    async def _pass(self, run: Run, interceptors: Sequence[Interceptor], invocation: Invocation) -> Reply:
        """Run the first interceptor that a command concerns, else the command; a failure becomes a reply.

        Called again by interceptors, with the invocation that they pass on.
        """
        if not isinstance(invocation, Invocation):
            raise TypeError(f"expected an Invocation, got {invocation!r}")
        responsible: Interceptor | None = None
        try:
            for position, responsible in enumerate(interceptors, start=1):
                if responsible.concerns is None or responsible.concerns(invocation):
                    proceed = partial(self._pass, run, interceptors[position:])
                    reply = await responsible.run(invocation, proceed)
                    break
            else:
                responsible = None
                reply = await run(invocation)
            # Looked at here, too.
            return reply if isinstance(reply, Reply) else _expect_reply(reply)
        except BaseException as error:
            if is_signal(error):
                raise
            return self._reply_to(error, responsible)

    def _reply_to(self, error: BaseException, interceptor: Interceptor | None = None) -> Reply:
        """Return the reply to an exception of a command, or of an interceptor."""
        match error:
            case Unrecognised():
                self.shown = masked_unknown(self.shown)
                return _refused(error)
            case Refusal():
                return _refused(error)
            case RequestRefused():
                return _refused(error.as_refusal())
        session = self._session
        command = f"{label(self.shown)} of {session.user.id}:{session.name}"
        failure = (
            f"interceptor {interceptor.name} failed and refuses {command}"
            if interceptor
            else f"{command} failed"
        )
        log.error("%s", failure, exc_info=error)
        return UNEXPECTED


def _secret_names(topic: Topic, secrets: Secrets) -> Mapping[str, str]:
    """Return the values that the topic masks, each with its replacement."""
    scope = topic.secret_scope()
    values = secrets.of(scope) if scope else {}
    return {value: f"${name}" for name, value in values.items() if topic.is_secret(name)}


def _expect_reply(reply: object) -> Reply:
    if not isinstance(reply, Reply):
        raise TypeError(f"expected a Reply, got {reply!r}")
    return reply


def _expect_text(masked: object) -> str:
    if not isinstance(masked, str):
        raise TypeError(f"expected a masked text, got {masked!r}")
    return masked


def _refused(refusal: Refusal) -> Reply:
    message = without_url_passwords(refusal.message)
    return replace(Reply.error(refusal.code, message, *refusal.context), whole=refusal.whole)
