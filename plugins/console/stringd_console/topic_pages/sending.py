"""Commands that a person sends from the console: they run on, whether or not a page still shows the topic."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict
from collections.abc import Collection, Sequence
from contextlib import suppress
from weakref import WeakKeyDictionary

from msgspec import Struct

from stringd.plugin import ErrorCode, Outcome, Refusal, Reply, RequestRefused, Runtime, TopicName
from stringd_console.topic_pages.exchange import Exchange
from stringd_console.topic_pages.journal import journal_of

_KIND = "console-"
_ID_BYTES = 8
_MOST_KNOWN = 5_000
# Whoever sends a command learns at once why it can't even wait for its turn.
_REFUSED_SECONDS = 0.15
# What may be shown of a command is known only once it runs.
_NEVER_RAN = "(a command that never ran)"


class WaitingCommand(Struct, frozen=True, kw_only=True):
    """A command from the console that waits for its turn."""

    request_id: str
    user_id: str
    topic: str
    since: float


class CommandSender:
    """Executes what people send, in tasks of its own."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._sent: OrderedDict[str, None] = OrderedDict()
        self._waiting: dict[str, WaitingCommand] = {}
        self._tasks: set[asyncio.Task[Outcome]] = set()

    @property
    def sent(self) -> Collection[str]:
        """The ids of the requests that people have sent last."""
        return self._sent.keys()

    def waiting(self, user_id: str, topic: str) -> Sequence[WaitingCommand]:
        """Return what people have sent to a topic that still waits for its turn."""
        return [it for it in self._waiting.values() if (it.user_id, it.topic) == (user_id, topic)]

    async def send(self, user_id: str, topic: TopicName, text: str) -> None:
        """Send a command; refuse it if it can't even wait for its turn."""
        task = asyncio.create_task(self._execute(user_id, topic, text))
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        with suppress(TimeoutError):
            async with asyncio.timeout(_REFUSED_SECONDS):
                await asyncio.shield(task)

    async def result(self, user_id: str, topic: TopicName, text: str, *, kind: str = _KIND) -> Outcome:
        """Send a command, and wait for its outcome; the id of the request begins with its kind."""
        return await self._execute(user_id, topic, text, kind)

    async def _execute(self, user_id: str, topic: TopicName, text: str, kind: str = _KIND) -> Outcome:
        request_id = self._new_request(kind)
        exchange = Exchange("", request_id, time.time())
        self._waiting[request_id] = WaitingCommand(
            request_id=request_id, user_id=user_id, topic=topic.text, since=exchange.begun
        )
        try:
            outcome = await self._runtime.execute(
                user_id, topic, text, request_id=request_id, begun=lambda: self._begin(exchange)
            )
        except RequestRefused as refused:
            exchange.shown, failure = _NEVER_RAN, refused.as_refusal()
            self._answer(user_id, topic, exchange, Reply.error(failure.code, failure.message))
            raise
        finally:
            self._waiting.pop(request_id, None)
        exchange.shown = outcome.label
        self._answer(user_id, topic, exchange, outcome.reply)
        return outcome

    def _answer(self, user_id: str, topic: TopicName, exchange: Exchange, reply: Reply) -> None:
        journal_of(self._runtime).answer(user_id, topic.text, exchange, reply)

    def _new_request(self, kind: str) -> str:
        request_id = f"{kind}{secrets.token_hex(_ID_BYTES)}"
        self._sent[request_id] = None
        if len(self._sent) > _MOST_KNOWN:
            self._sent.popitem(last=False)
        return request_id

    def _begin(self, exchange: Exchange) -> None:
        exchange.begun = time.time()
        self._waiting.pop(exchange.request_id or "", None)

    def _forget(self, task: asyncio.Task[Outcome]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            # What was refused later is nobody's any more.
            task.exception()


def require_text(runtime: Runtime, user_id: str, topic: TopicName, text: str) -> str:
    """Return a text to send; refuse one that is empty, unless that means something in the topic."""
    if text.strip():
        return text
    session = runtime.session(user_id, topic)
    if session and session.topic and session.topic.takes_empty_text():
        return ""
    raise Refusal(ErrorCode.INVALID_PAYLOAD, "There is no command to send.")


_senders: WeakKeyDictionary[Runtime, CommandSender] = WeakKeyDictionary()


def sender_of(runtime: Runtime) -> CommandSender:
    """Return the one sender of a daemon."""
    sender = _senders.get(runtime)
    if sender is None:
        sender = _senders[runtime] = CommandSender(runtime)
    return sender
