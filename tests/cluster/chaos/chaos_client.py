"""A client of a cluster that sends each operation through random nodes until it knows the outcome."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import aiohttp

from tests.cluster.chaos.history import Attempt, Kind, Operation, Outcome

NEVER_RUN = frozenset({"HOME_UNAVAILABLE", "QUEUE_FULL", "RATE_LIMITED", "SHUTTING_DOWN", "REFUSED"})
"""Codes of answers to commands that have not run and never will; `REFUSED` is a refused connection."""
UNCERTAIN = frozenset(
    {
        "OUTCOME_UNKNOWN",
        "FENCED",
        "STORAGE_FAILED",
        "INTERNAL_ERROR",
        "TOPIC_RESTARTED",
        "CANCELLED",
        "SESSION_CLOSED",
        "HTTP_500",
        "HTTP_502",
        "HTTP_503",
        "BROKEN",
    }
)
"""Codes of answers to commands that may have run; `BROKEN` is a connection without a whole answer."""
_FINALLY_UNKNOWN = ["OUTCOME_UNKNOWN"] * 3
_PAUSE_SECONDS = 0.05


class Entry(Protocol):
    """A node as a client reaches it."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def url(self) -> str:
        """The base URL at which it is now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The end of one request: a code, which is empty for success, and what was said."""

    code: str
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a client wants done once."""

    home: str
    topic: str
    kind: Kind
    subject: str
    value: str
    command: str
    is_named: bool
    """Whether it has a request id, with which it can be sent again."""
    parse: Callable[[str], str] | None = None
    """What a read has read, by its answer."""


class Recorder:
    """The numbers of operations, and what became of them."""

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        self._last = 0

    def next_id(self) -> int:
        """Return the id of a new operation."""
        self._last += 1
        return self._last


class ChaosClient:
    """One client of one home."""

    def __init__(
        self,
        name: str,
        token: str,
        nodes: Sequence[Entry],
        recorder: Recorder,
        seed: str,
        patience: float,
    ) -> None:
        self.name = name
        self.random = random.Random(seed)
        self._token = token
        self._nodes = nodes
        self._recorder = recorder
        self._patience = patience
        self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))

    async def close(self) -> None:
        """Close its connections."""
        await self._session.close()

    async def run(self, request: Request, *, number: int = 0, answer_seconds: float = 2.0) -> Operation:
        """Send a request until its outcome is known, or patience has ended; return what was recorded."""
        number = number or self._recorder.next_id()
        began = time.monotonic()
        attempts: list[Attempt] = []
        while True:
            attempt, answer = await self._attempt(request, number, answer_seconds)
            attempts.append(attempt)
            is_over = time.monotonic() - began > self._patience
            is_unknown = [it.result for it in attempts[-3:]] == _FINALLY_UNKNOWN
            if _is_final(answer, request) or is_over or is_unknown:
                break
            await asyncio.sleep(_PAUSE_SECONDS)
        operation = Operation(
            id=number,
            client=self.name,
            home=request.home,
            topic=request.topic,
            kind=request.kind,
            subject=request.subject,
            value=request.parse(answer.text) if request.parse else request.value,
            began=began,
            ended=time.monotonic(),
            outcome=_outcome(attempts),
            attempts=attempts,
        )
        self._recorder.operations.append(operation)
        return operation

    async def _attempt(self, request: Request, number: int, seconds: float) -> tuple[Attempt, Answer]:
        node = self.random.choice(self._nodes)
        began = time.monotonic()
        answer = await self._send(node, request, number, seconds)
        ended = time.monotonic()
        result = answer.code or "OK"
        return Attempt(node=node.name, began=began, ended=ended, result=result), answer

    async def _send(self, node: Entry, request: Request, number: int, seconds: float) -> Answer:
        body = {"cmd": request.command, "topic": request.topic}
        if request.is_named:
            body["request_id"] = f"r{number}"
        headers = {"Authorization": f"Bearer {self._token}", "X-User-Id": request.home}
        limit = aiohttp.ClientTimeout(total=seconds)
        try:
            async with self._session.post(
                f"{node.url}/exec", json=body, headers=headers, timeout=limit
            ) as response:
                return _read_answer(response.status, await response.text(), response.headers)
        except aiohttp.ClientConnectorError:
            return Answer(code="REFUSED")
        except (aiohttp.ClientError, TimeoutError, ConnectionError):
            return Answer(code="BROKEN")


def _is_final(answer: Answer, request: Request) -> bool:
    """Return whether a client should not send the request again."""
    if answer.code in NEVER_RUN:
        return False
    return answer.code not in UNCERTAIN or not (request.is_named or request.kind is Kind.READ)


def _outcome(attempts: Sequence[Attempt]) -> Outcome:
    """Return what is known after all attempts."""
    results = [it.result for it in attempts]
    if results[-1] == "OK":
        return Outcome.DONE
    # An attempt whose end is not known may have run, whatever later ones were told.
    return Outcome.UNKNOWN if any(it not in NEVER_RUN for it in results) else Outcome.REFUSED


def _read_answer(status: int, text: str, headers: Any) -> Answer:
    """Read the answer of `/exec`."""
    if status != 200:
        return Answer(code=headers.get("X-Error-Code") or f"HTTP_{status}", text=text)
    events = dict(_event(it) for it in text.split("\n\n") if it.startswith("event: "))
    if "done" not in events:
        return Answer(code="BROKEN", text=text)
    return Answer(code=events["head"]["code"] or "", text=events["content"])


def _event(text: str) -> tuple[str, Any]:
    fields = dict(line.split(": ", 1) for line in text.split("\n"))
    return fields["event"], json.loads(fields["data"])
