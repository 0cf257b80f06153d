"""A client of a cluster that sends each operation through random nodes until it knows the outcome."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Protocol

import aiohttp

from tests.cluster.chaos.history import READING, Attempt, Kind, Operation, Outcome

NEVER_RUN = frozenset({"HOME_UNAVAILABLE", "QUEUE_FULL", "RATE_LIMITED", "SHUTTING_DOWN", "REFUSED"})
"""Codes of answers to commands that have not begun and may be sent again; `REFUSED` is a connection."""
UNCERTAIN = frozenset(
    {
        "OUTCOME_UNKNOWN",
        "FENCED",
        "STORAGE_FAILED",
        "INTERNAL_ERROR",
        "CANCELLED",
        "SESSION_CLOSED",
        "HTTP_500",
        "HTTP_502",
        "HTTP_503",
        "HTTP_504",
        "INTERRUPTED",
        "RUNNING",
        "BROKEN",
    }
)
"""Codes of answers to commands that may have run.

`INTERRUPTED` is a command that ended with its daemon or home, `RUNNING` one of a shell whose client had left,
`BROKEN` a connection without a whole answer.
"""
REFUSALS = frozenset({"TOPIC_RESTARTED", "CONFLICT"})
"""Codes of commands that were looked at and did nothing, which is kept as the outcome of their request."""
_UNKNOWN = "OUTCOME_UNKNOWN"
_GOES_ON = re.compile(r"^exit: (?:running|waiting) \|", re.MULTILINE)
_PAUSE_SECONDS = 0.05
_MOST_SHOWN = 200


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
    is_final: bool = False
    """Whether the answer will be the same however often the request is sent."""


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
        self._in_turn = itertools.cycle(nodes)
        self._recorder = recorder
        self._patience = patience
        self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))

    async def close(self) -> None:
        """Close its connections."""
        await self._session.close()

    async def run(
        self, request: Request, *, number: int = 0, answer_seconds: float = 2.0, once: bool = False
    ) -> Operation:
        """Send a request until its outcome is known or patience has ended; return its record.

        What is sent `once` is sent to each node in its turn, so that one that is hurt is not asked again.
        """
        number = number or self._recorder.next_id()
        began = time.monotonic()
        attempts: list[Attempt] = []
        while True:
            node = next(self._in_turn) if once else self.random.choice(self._nodes)
            attempt, answer = await self._attempt(node, request, number, answer_seconds)
            attempts.append(attempt)
            is_over = once or time.monotonic() - began > self._patience
            if is_over or _is_final(answer, request):
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

    async def _attempt(
        self, node: Entry, request: Request, number: int, seconds: float
    ) -> tuple[Attempt, Answer]:
        began = time.monotonic()
        answer = await self._send(node, request, number, seconds)
        ended = time.monotonic()
        result, message = answer.code or "OK", answer.text[:_MOST_SHOWN] if answer.code else ""
        return Attempt(node=node.name, began=began, ended=ended, result=result, message=message), answer

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
    is_repeatable = request.is_named or request.kind in READING
    return answer.is_final or answer.code not in UNCERTAIN or not is_repeatable


def _outcome(attempts: Sequence[Attempt]) -> Outcome:
    """Return what is known after all attempts."""
    results = [it.result for it in attempts]
    if results[-1] == "OK":
        return Outcome.DONE
    if results[-1] in REFUSALS:
        # It is the outcome of the request, whatever has become of the earlier attempts.
        return Outcome.REFUSED
    # An attempt whose end is not known may have run, whatever later ones were told.
    return Outcome.REFUSED if NEVER_RUN.issuperset(results) else Outcome.UNKNOWN


def _read_answer(status: int, text: str, headers: Mapping[str, str]) -> Answer:
    """Read the answer of `/exec`."""
    if status != HTTPStatus.OK:
        code = headers.get("X-Error-Code") or f"HTTP_{status}"
        return Answer(code=code, text=text, is_final=code == _UNKNOWN and "Retry-After" not in headers)
    events = dict(_event(it) for it in text.split("\n\n") if it.startswith("event: "))
    if "done" not in events:
        return Answer(code="BROKEN", text=text)
    code, text = events["head"]["code"] or "", events["content"]
    if code in NEVER_RUN:
        code = "INTERRUPTED"
    elif _GOES_ON.search(text):
        code = "RUNNING"
    return Answer(code=code, text=text, is_final=code in {_UNKNOWN, "RUNNING"})


def _event(text: str) -> tuple[str, Any]:
    fields = dict(line.split(": ", 1) for line in text.split("\n"))
    return fields["event"], json.loads(fields["data"])
