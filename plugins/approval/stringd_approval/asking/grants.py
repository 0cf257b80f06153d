"""Grants: answers that also hold for further requests like the one that was asked about."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct, field

from stringd_approval.asking.notation import NotationError, parse_words, words_text
from stringd_approval.exec_request import ExecRequest

MOST_TIMES = 1000
MOST_MINUTES = 24 * 60
MOST_GRANTS = 1000
_TERMS = re.compile(
    r"\s*(?P<number>[0-9]{1,6})\s+(?P<unit>times?|minutes?)\s+for\s+(?P<scope>session|user)\s*:(?P<words>.*)",
    re.DOTALL,
)
_EXPECTED = "expected e.g. '10 minutes for session: apt install' or '3 times for user: apt install'"


class GrantError(ValueError):
    """The terms of a grant can't be accepted; the message says why."""


class Scope(StrEnum):
    """For whom a grant holds: requests of the same session, or of the same user."""

    SESSION = "session"
    USER = "user"


class Terms(Struct, frozen=True, kw_only=True):
    """What is granted: a program and its leading arguments, a number of times or seconds, and to whom."""

    words: tuple[str, ...]
    scope: Scope
    times: int | None = None
    seconds: float | None = None


class Grant(Struct, kw_only=True):
    """A grant that holds until its time or its uses are over; `by` and `through` are of the answer.

    `paths` are those to which the program and the working directory of the model lead.
    """

    id: str
    terms: Terms
    model: ExecRequest
    paths: Sequence[str]
    by: str
    through: str
    times: int | None
    until: float | None

    def covers(self, request: ExecRequest, paths: Sequence[str]) -> bool:
        """Whether a request is like the one that was asked about, and leads to the same paths.

        Everything that changes what the program does must be the same: where it was found, the environment,
        the directory, and whether the agent is forwarded.
        """
        model, words = self.model, self.terms.words
        return (
            not request.privileged
            and len(request.pipeline) == 1
            and request.pipeline[0][: len(words)] == words
            and tuple(paths) == tuple(self.paths)
            and (request.cwd, request.forward_agent) == (model.cwd, model.forward_agent)
            and dict(request.env) == dict(model.env)
            and _asker(request, self.terms.scope) == _asker(model, self.terms.scope)
        )

    def as_json(self, now: float) -> dict[str, Any]:
        """Return the grant in the format for front ends."""
        return {
            "id": self.id,
            "command": words_text(self.terms.words),
            "for": str(self.terms.scope),
            "session": self.model.session,
            "host": self.model.host,
            "user_id": self.model.user_id,
            "topic": self.model.topic,
            "times": self.times,
            "seconds": None if self.until is None else max(round(self.until - now), 0),
            "by": self.by,
            "through": self.through,
        }


class Grants(Struct):
    """Grants in memory, by id; by default, their time is that of a clock that nobody can set."""

    clock: Callable[[], float] = time.monotonic
    _grants: dict[str, Grant] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Grant]:
        return iter(self._grants.values())

    def add(self, terms: Terms, model: ExecRequest, paths: Sequence[str], *, by: str, through: str) -> Grant:
        """Add a grant for requests like a model; raise `GrantError` if these may not be granted.

        `paths` are where its program and directory lead. If there are too many grants, the oldest one ends.
        """
        check_terms(terms, model)
        self._drop_ended()
        if len(self._grants) >= MOST_GRANTS:
            del self._grants[next(iter(self._grants))]
        grant = Grant(
            id=f"g{secrets.token_hex(4)}",
            terms=terms,
            model=model,
            paths=tuple(paths),
            by=by,
            through=through,
            times=terms.times,
            until=None if terms.seconds is None else self.clock() + terms.seconds,
        )
        self._grants[grant.id] = grant
        return grant

    def use(self, request: ExecRequest, paths: Sequence[str]) -> Grant | None:
        """Return a grant for a request and count its use, both in one step; None if there is none."""
        self._drop_ended()
        grant = next((it for it in self._grants.values() if it.covers(request, paths)), None)
        if grant and grant.times is not None:
            grant.times -= 1
        return grant

    def listed(self) -> list[dict[str, Any]]:
        """Return the grants that hold, in the format for front ends."""
        self._drop_ended()
        now = self.clock()
        return [it.as_json(now) for it in self._grants.values()]

    def revoke(self, grant_id: str) -> Grant | None:
        """End a grant, and return it, if there was one."""
        self._drop_ended()
        return self._grants.pop(grant_id, None)

    def _drop_ended(self) -> None:
        now = self.clock()
        for it in list(self._grants.values()):
            if it.times == 0 or (it.until is not None and now >= it.until):
                del self._grants[it.id]


def suggested_terms(request: ExecRequest) -> str:
    """Return the terms that an operator is offered to change."""
    return f"10 minutes for {Scope.SESSION}: {words_text(request.pipeline[0])}"


def parse_terms(text: str) -> Terms:
    """Return the terms of a text such as `3 times for session: apt install`, or raise `GrantError`."""
    found = _TERMS.fullmatch(text)
    if found is None:
        raise GrantError(_EXPECTED)
    try:
        words = parse_words(found["words"])
    except NotationError as error:
        raise GrantError(str(error)) from None
    number = int(found["number"])
    is_times = found["unit"].startswith("time")
    most = MOST_TIMES if is_times else MOST_MINUTES
    if not 1 <= number <= most:
        raise GrantError(f"the number of {found['unit']} must be from 1 to {most}")
    return Terms(
        words=words,
        scope=Scope(found["scope"]),
        times=number if is_times else None,
        seconds=None if is_times else number * 60.0,
    )


def check_terms(terms: Terms, model: ExecRequest) -> None:
    """Raise `GrantError` unless a request may be granted like this."""
    if model.privileged:
        raise GrantError("a privileged command can't be granted, only be approved each time")
    if len(model.pipeline) != 1:
        raise GrantError("a pipeline can't be granted, only a single command")
    if not terms.words or model.pipeline[0][: len(terms.words)] != terms.words:
        raise GrantError("a grant must name the program of the request and its leading arguments")


def _asker(request: ExecRequest, scope: Scope) -> tuple[str | None, ...]:
    if scope is Scope.USER:
        return (request.user_id,)
    return request.user_id, request.topic, request.session, request.host
