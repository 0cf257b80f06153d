"""Questions that a command, a service or a plugin asks while it works, and their answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, TypeAlias

from stringd.api.checks import check_optional_text, check_sync, check_word, check_words

LONGEST_TITLE = 256
LONGEST_BODY = 64 * 1024
LONGEST_DETAIL = 64 * 1024
MOST_DETAILS = 64
LONGEST_CHOICE = 256
MOST_CHOICES = 100
_CONTROL = range(0x20)

AnswerValue: TypeAlias = bool | str


class QuestionKind(StrEnum):
    """What answers a question: yes or no, a text, a text that is shown nowhere, or one of some choices."""

    APPROVE = "approve"
    TEXT = "text"
    SECRET = "secret"  # noqa: S105 - the name of a kind
    CHOICE = "choice"


class Trust(StrEnum):
    """Who may answer: only who holds the operator's token, or agents of the same user as well."""

    PERSON = "person"
    ANYONE = "anyone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer that won: who gave it, and through what.

    `value` is True or False for `approve`, else a text. `extras` are the further fields of the answer that
    the question asked for.
    """

    value: AnswerValue = field(repr=False)
    by: str
    through: str
    comment: str | None = field(default=None, repr=False)
    extras: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def approved(self) -> bool:
        """Whether the answer is yes."""
        return self.value is True

    @property
    def text(self) -> str:
        """The text or choice; raise `TypeError` if the question was for a yes or no."""
        if not isinstance(self.value, str):
            raise TypeError("the answer is yes or no, not a text")
        return self.value


Check: TypeAlias = Callable[[Answer], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, of whom, and for whom.

    `title` is one line, `body` and `details` say what is to be decided about. The question may be answered
    for `expires` seconds; for a person, these begin when one is shown it. It is asked by a plugin or part of
    the daemon, on behalf of a user, topic and request where there are such.

    A question for a person is refused at once while no operator is attached, unless it `waits_for_operator`;
    then it is refused only by a daemon that can have none. `check` may raise a `Refusal` for an answer that
    does not do; the question stays open then. `extras` names further fields that an answer may have.
    """

    kind: QuestionKind
    title: str
    asked_by: str
    body: str = ""
    details: Mapping[str, str] = field(default_factory=dict)
    choices: tuple[str, ...] = ()
    expires: float | None = None
    trust: Trust = Trust.PERSON
    user_id: str | None = None
    topic: str | None = None
    request_id: str | None = None
    waits_for_operator: bool = False
    check: Check | None = None
    extras: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        _check_member(self.kind, QuestionKind)
        _check_member(self.trust, Trust)
        check_word("asker of a question", self.asked_by)
        check_optional_text("question", self.user_id, self.topic, self.request_id)
        _check_text("title of a question", self.title, LONGEST_TITLE, least=1)
        if any(ord(it) in _CONTROL for it in self.title):
            raise ValueError("title of a question needs to be one line")
        _check_text("body of a question", self.body, LONGEST_BODY)
        self._check_details()
        self._check_choices()
        if self.expires is not None and not 0 < self.expires < float("inf"):
            raise ValueError(f"question needs a positive number of seconds to expire, not {self.expires!r}")
        if self.check is not None:
            check_sync("check of a question", self.check, takes=1)
        if self.extras:
            check_words("extras of a question", self.extras)

    @property
    def size(self) -> int:
        """About how many bytes of memory its texts take."""
        texts = (self.title, self.body, *self.details, *self.details.values(), *self.choices)
        return sum(map(len, texts))

    def _check_details(self) -> None:
        if len(self.details) > MOST_DETAILS:
            raise ValueError(f"question has more than {MOST_DETAILS} details")
        for name, value in self.details.items():
            _check_text("name of a question's detail", name, LONGEST_TITLE, least=1)
            _check_text("detail of a question", value, LONGEST_DETAIL)

    def _check_choices(self) -> None:
        choices = self.choices
        if not isinstance(choices, tuple):
            raise TypeError(f"question needs a tuple of choices, not {choices!r}")
        if (self.kind is QuestionKind.CHOICE) != bool(choices):
            raise ValueError("a question of the kind choice needs choices, and no other has any")
        if len(choices) > MOST_CHOICES or len(set(choices)) < len(choices):
            raise ValueError(f"question needs at most {MOST_CHOICES} choices, all of them different")
        for choice in choices:
            _check_text("choice of a question", choice, LONGEST_CHOICE, least=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestion:
    """A question that waits for its answer.

    `asked_at` and `expires_at` are in seconds since 1970; a question that nobody has been shown yet may have
    no `expires_at`.
    """

    id: str
    question: Question
    asked_at: float
    expires_at: float | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the question as all front ends are given it."""
        question = self.question
        return {
            "id": self.id,
            "kind": str(question.kind),
            "title": question.title,
            "body": question.body,
            "details": dict(question.details),
            "choices": list(question.choices),
            "asked_by": question.asked_by,
            "trust": str(question.trust),
            "user_id": question.user_id,
            "topic": question.topic,
            "request_id": question.request_id,
            "extras": sorted(question.extras),
            "asked_at": self.asked_at,
            "expires": question.expires,
            "expires_at": self.expires_at,
        }


class Questions(Protocol):
    """The questions of this daemon. All functions are to be called on the event loop's thread."""

    async def ask(
        self, question: Question, *, disconnected: Callable[[], Awaitable[None]] | None = None
    ) -> Answer:
        """Return the first valid answer.

        The question is withdrawn when the asking task is cancelled, when `disconnected` returns, when its
        topic or user ends, and when the daemon stops. Raises `Unanswered` when there is no answer: nobody
        can give one, none came in time, or the question was withdrawn. In a command that is an error of
        its own.
        """

    def listed(self, user_id: str | None = None) -> Sequence[OpenQuestion]:
        """Return the open questions in the order in which they were asked: those of a user, or all."""

    def get(self, question_id: str, user_id: str | None = None) -> OpenQuestion:
        """Return an open question, or raise `QuestionNotFound` or `QuestionClosed`.

        For a user there are only that user's questions, and those of nobody in particular.
        """

    def answer(
        self,
        question_id: str,
        value: object,
        *,
        by: str,
        through: str,
        comment: str | None = None,
        extras: Mapping[str, Any] | None = None,
    ) -> None:
        """Answer a question; who may do so is for the caller to have checked.

        Raises `QuestionNotFound`, `QuestionClosed` which says who was faster, and `AnswerInvalid`.
        """

    def mark_shown(self, question_id: str) -> None:
        """Note that a person is shown a question, whose time begins to run."""

    def attach_operator(self) -> AbstractContextManager[None]:
        """Return a context within which an operator is attached, who can be asked."""


def _check_member(value: object, kind: type[StrEnum]) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"question needs a {kind.__name__}, not {value!r}")


def _check_text(what: str, text: object, most: int, *, least: int = 0) -> None:
    if not isinstance(text, str):
        raise TypeError(f"{what} needs text, not {text!r}")
    if not least <= len(text.strip()) or len(text) > most:
        raise ValueError(f"{what} needs {least} to {most} characters")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{what} needs text that UTF-8 can encode") from None
