"""One command on its way: read, passed through the interceptors, run, and answered whatever happens."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from stringd.api.commands import Command, CommandLine, Interceptor, Invocation, Proceed, Run
from stringd.api.replies import Reply
from stringd.api.runtime import Disconnected, Runtime
from stringd.api.sessions import Topic
from stringd.errors import ErrorCode, Refusal, RequestRefused, Unrecognised
from stringd.extensions.catalogue import Catalogue
from stringd.extensions.containment import is_signal
from stringd.sessions.command_tasks import run_in_task
from stringd.sessions.live_session import LiveSession
from stringd.text.command_line import LONGEST_HEAD, label, parse_command
from stringd.text.masking import MASK, masked_in_shell, masked_unknown
from stringd.text.nearest import nearest
from stringd.workers.threads import working_for

log = logging.getLogger(__name__)

UNEXPECTED = Reply.error(
    ErrorCode.INTERNAL_ERROR, "The command failed unexpectedly; the daemon's log says why."
)
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


class Execution:
    """One run of a command; `reply` is to be awaited once."""

    __slots__ = ("_catalogue", "_runtime", "_sent", "_session", "_shown")

    def __init__(self, runtime: Runtime, catalogue: Catalogue, session: LiveSession, sent: Sent) -> None:
        self._runtime = runtime
        self._catalogue = catalogue
        self._session = session
        self._sent = sent
        # Until a mask has said what may be shown of the text, nothing may.
        self._shown = MASK

    @property
    def label(self) -> str:
        """How the command is shown, as far as it is known what of it is secret."""
        return label(self._shown)

    async def reply(self) -> Reply:
        """Run the command and return its reply, or what is to be answered in its place."""
        try:
            try:
                plan = self._plan()
            except Refusal as refusal:
                return self._refuse_unplanned(refusal)
            topic = await self._session.lifetime.topic()
            self._mask_by(topic)
            return await self._run(topic, plan)
        except BaseException as error:
            if is_signal(error):
                return _ended(self._session, error)
            return self._reply_to(error)

    def _plan(self) -> _Plan:
        text, plain_text = self._sent.text, self._session.topic_type.plain_text
        if plain_text and not text.startswith("//"):
            self._shown = masked_in_shell(text)
            return _Plan(plain_text, CommandLine(text=text))
        if not text.startswith("/"):
            raise Refusal(ErrorCode.COMMAND_UNSUPPORTED, "Commands must start with /. Use /help for details.")
        line = parse_command(text)
        command = self._find(line)
        self._mask_by_command(command)
        if line.arguments in _HELP_FLAGS and line.word == command.name:
            return _Plan(_explain(command), line)
        _check_shape(command, line)
        return _Plan(command.run, line)

    def _refuse_unplanned(self, refusal: Refusal) -> Reply:
        """Return the reply to what is no command; its text may be a secret of the topic's."""
        text = self._sent.text
        command = self._command(parse_command(text)) if text.startswith("/") else None
        if command:
            self._mask_by_command(command)
        else:
            self._shown = masked_unknown(text[:LONGEST_HEAD])
        topic, known = self._session.lifetime.current, self._shown
        if topic:
            self._mask_by(topic)
            if self._shown != known:
                refusal = Refusal(refusal.code, f"Unknown command: {self.label}", topic.advice())
        return _refused(refusal)

    def _find(self, line: CommandLine) -> Command:
        command = self._command(line)
        if command is None:
            commands = self._catalogue.commands_of(self._session.name.type)
            slash = self._session.slash
            meant = nearest(line.word, commands)
            hint = f"Did you mean {slash}{meant}? " if meant else ""
            typed = masked_unknown(line.text[:LONGEST_HEAD]).split(maxsplit=1)[0].replace("//", "/", 1)
            message = f"Unknown command: {label(typed)}"
            raise Refusal(ErrorCode.COMMAND_UNSUPPORTED, message, f"{hint}{slash}help lists the commands.")
        return command

    def _command(self, line: CommandLine) -> Command | None:
        commands = self._catalogue.commands_of(self._session.name.type)
        return commands.get(line.word) or _owner(line.word, commands)

    def _mask_by_command(self, command: Command) -> None:
        if command.mask:
            self._shown = f"{self._session.slash}{command.name} {MASK}"
            self._shown = _expect_text(command.mask(self._sent.text[:LONGEST_HEAD]))
        else:
            self._shown = self._sent.text

    def _mask_by(self, topic: Topic) -> None:
        known, self._shown = self._shown, MASK
        self._shown = _expect_text(topic.masked(known))

    async def _run(self, topic: Topic, plan: _Plan) -> Reply:
        session, runtime = self._session, self._runtime
        invocation = Invocation(
            line=plan.line,
            session=session,
            topic=topic,
            runtime=runtime,
            arrived=self._sent.arrived,
            disconnected=self._sent.disconnected,
        )
        run = plan.run
        for interceptor in reversed(self._catalogue.interceptors):
            run = partial(_intercept, interceptor, partial(self._proceed, run))
        with working_for(f"{session.user.id}:{session.name}", runtime.workers):
            return _expect_reply(await run_in_task(run, invocation))

    async def _proceed(self, run: Run, invocation: Invocation) -> Reply:
        """Run what an interceptor stands around; whatever that raises is a reply to the interceptor."""
        if not isinstance(invocation, Invocation):
            raise TypeError(f"expected an Invocation, got {invocation!r}")
        try:
            return _expect_reply(await run(invocation))
        except BaseException as error:
            if is_signal(error):
                raise
            return self._reply_to(error)

    def _reply_to(self, error: BaseException) -> Reply:
        """Return the reply to a command that raised something."""
        match error:
            case Unrecognised():
                self._shown = masked_unknown(self._shown)
                return _refused(error)
            case Refusal():
                return _refused(error)
            case RequestRefused():
                return _refused(error.as_refusal())
        session = self._session
        log.error("%s of %s:%s failed", self.label, session.user.id, session.name, exc_info=error)
        return UNEXPECTED


async def _intercept(interceptor: Interceptor, proceed: Proceed, invocation: Invocation) -> Reply:
    reply: object = await interceptor.around(invocation, proceed)
    if not isinstance(reply, Reply):
        raise TypeError(f"expected a Reply, got {reply!r} from interceptor {interceptor.name}")
    return reply


def _owner(word: str, commands: Mapping[str, Command]) -> Command | None:
    """Return the command that a word with a dot names a member of."""
    command = commands.get(word.partition(".")[0])
    return command if command and command.takes_members else None


def _expect_reply(reply: object) -> Reply:
    if not isinstance(reply, Reply):
        raise TypeError(f"expected a Reply, got {reply!r}")
    return reply


def _expect_text(masked: object) -> str:
    if not isinstance(masked, str):
        raise TypeError(f"expected a masked text, got {masked!r}")
    return masked


def _ended(session: LiveSession, error: BaseException) -> Reply:
    """Return the reply to a command that was cancelled because its session ends; no other is answered."""
    if session.ended is None or not isinstance(error, asyncio.CancelledError):
        raise error
    return Reply.error(session.ended.code or "", session.ended.message)


def _refused(refusal: Refusal) -> Reply:
    return Reply.error(refusal.code, refusal.message, *refusal.context)


def _check_shape(command: Command, line: CommandLine) -> None:
    usage = f"Usage: {command.usage}"
    if line.body is not None and not command.takes_body:
        message = f"/{command.name} takes no further lines: one command per request."
        raise Refusal(ErrorCode.INVALID_PAYLOAD, message, usage)
    if line.arguments and not command.takes_arguments:
        raise Refusal(ErrorCode.INVALID_PAYLOAD, f"/{command.name} takes no arguments.", usage)


def _explain(command: Command) -> Run:
    async def explain(_: Invocation) -> Reply:
        return command.explained()

    return explain
