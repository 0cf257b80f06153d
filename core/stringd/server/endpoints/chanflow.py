"""`POST /chanflow`: execute and answer every `string` block of a text."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from stringd.api.replies import Reply
from stringd.api.sessions import TopicName
from stringd.api.users import User
from stringd.errors import ClientGone, ErrorCode, InvalidBody, InvalidTopic, RequestRefused
from stringd.runtime.local import LocalRuntime
from stringd.server.requests import disconnected, read_body, requesting_user, runtime_of
from stringd.sessions.execution import UNEXPECTED
from stringd.text.chanflow import Block, encode_answer, parse_blocks
from stringd.workers.threads import READING

log = logging.getLogger(__name__)

FAILED_HEADER = "X-Failed-Blocks"


async def chanflow(request: Request) -> Response:
    """Execute the blocks of each topic in order, topics in parallel; return the answers in block order."""
    runtime = runtime_of(request)
    user = requesting_user(request.scope, runtime)
    try:
        blocks = list(parse_blocks((await read_body(request.receive)).decode()))
    except UnicodeDecodeError:
        raise InvalidBody("Invalid text body — expected UTF-8") from None
    async with _watched(request) as disconnection:
        answers = await _Flow(runtime, user, disconnection).run(blocks)
    failed = sum(not answer.ok for answer in answers)
    text = "\n\n".join(answer.text for answer in answers)
    return PlainTextResponse(text + "\n" if text else "", headers={FAILED_HEADER: str(failed)})


class _Answer(Struct, frozen=True, kw_only=True):
    text: str
    ok: bool


class _Flow:
    """The execution of one text."""

    def __init__(self, runtime: LocalRuntime, user: User, disconnection: asyncio.Event) -> None:
        self._runtime = runtime
        self._user = user
        self._disconnection = disconnection
        self._arrived = time.monotonic()

    async def run(self, blocks: Sequence[Block]) -> list[_Answer]:
        by_topic: dict[str, list[int]] = {}
        for index, block in enumerate(blocks):
            by_topic.setdefault(self._shown_topic(block), []).append(index)
        answers: dict[int, _Answer] = {}

        async def one_topic(topic: str, indexes: Sequence[int]) -> None:
            for index in indexes:
                answers[index] = await self._answer(topic, blocks[index])

        topics = (one_topic(topic, indexes) for topic, indexes in by_topic.items())
        ends = await asyncio.gather(*topics, return_exceptions=True)
        for end in ends:
            if isinstance(end, ClientGone):
                raise end
            if end is not None:
                log.error("a block of a ChanFlow text failed", exc_info=end)
        return [answers.get(index) or self._unanswered(block) for index, block in enumerate(blocks)]

    def _unanswered(self, block: Block) -> _Answer:
        """Return the answer to a block whose command failed unexpectedly."""
        text = encode_answer(self._shown_topic(block), UNEXPECTED, datetime.now().astimezone())
        return _Answer(text=text, ok=False)

    async def _answer(self, topic: str, block: Block) -> _Answer:
        reply = await self._reply(block)
        now = datetime.now().astimezone()
        if reply.edit is None:
            return _Answer(text=encode_answer(topic, reply, now), ok=reply.ok)
        # Comparing texts of 10 MiB would hold up the event loop.
        return _Answer(text=await READING.run(encode_answer, topic, reply, now), ok=reply.ok)

    async def _reply(self, block: Block) -> Reply:
        try:
            topic = self._runtime.topic_name(block.topic)
            if block.command is None:
                return Reply.error(ErrorCode.INVALID_PAYLOAD, "The block has no closing tag.")
            if not block.command:
                return Reply.error(ErrorCode.INVALID_PAYLOAD, "The block holds no command.")
            return await self._execute(topic, block.command)
        except RequestRefused as refusal:
            reason = refusal.as_refusal()
            return Reply.error(reason.code, reason.message)

    async def _execute(self, topic: TopicName, command: str) -> Reply:
        if self._disconnection.is_set():
            raise ClientGone
        # All blocks were sent before any of them was answered.
        outcome = await self._runtime.execute(
            self._user.id, topic, command, disconnected=self._left, arrived=self._arrived
        )
        return outcome.reply

    async def _left(self) -> None:
        await self._disconnection.wait()

    def _shown_topic(self, block: Block) -> str:
        with suppress(InvalidTopic):
            return str(self._runtime.topic_name(block.topic))
        return block.topic


@asynccontextmanager
async def _watched(request: Request) -> AsyncIterator[asyncio.Event]:
    disconnection = asyncio.Event()

    async def watch() -> None:
        await disconnected(request.receive)
        disconnection.set()

    watching = asyncio.create_task(watch())
    try:
        yield disconnection
    finally:
        watching.cancel()
