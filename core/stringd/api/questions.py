"""Questions of commands, services and plugins to a person or an agent, and their answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, TypeAlias

from msgspec import field

from stringd.api.checks import check_optional_text, check_sync, check_word, check_words
from stringd.frozen_record import FrozenRecord

LONGEST_TITLE = 256
LONGEST_BODY = 1024 * 1024
LONGEST_DETAIL = 64 * 1024
MOST_DETAILS = 64
LONGEST_SUGGESTION = 8 * 1024
LONGEST_CHOICE = 256
MOST_CHOICES = 100
_CONTROL = range(0x20)

AnswerValue: TypeAlias = bool | str


class QuestionKind(StrEnum):
    """The kind of answer: yes or no, a text, a text that is never shown, or one of several choices."""

    APPROVE = "approve"
    TEXT = "text"
    SECRET = "secret"  # noqa: S105 - the name of a kind
    CHOICE = "choice"


class Trust(StrEnum):
    """Who may answer: only the holder of the operator's token, or also agents of the same user."""

    PERSON = "person"
    ANYONE = "anyone"


class Answer(FrozenRecord, frozen=True, kw_only=True):
    """The first valid answer: who gave it, and through what.

    `value` is True or False for `approve`, otherwise a text. `extras` are the additional fields that the
    question allows.
    """

    value: AnswerValue
    by: str
    through: str
    comment: str | None = None
    extras: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        # What a person has answered may be a secret.
        return f"Answer(by={self.by!r}, through={self.through!r})"

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


class Question(FrozenRecord, frozen=True, kw_only=True):
    """A question to a person or an agent, on behalf of a user, topic and request, if there are any.

    `title` is one line; `body` and `details` describe what has to be decided. `expires` is the time to answer
    in seconds; for a question to a person, it starts when the question is shown. `asked_by` is a plugin or a
    part of the daemon.

    A question to a person is refused immediately while no operator is attached, unless it
    `waits_for_operator`; then it is only refused by a daemon without an operator. `check` may raise a
    `Refusal` for an unacceptable answer; the question then stays open. `extras` names additional fields that
    an answer may have; `suggestions` are texts for some of them, which front ends offer for editing.
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
    suggestions: Mapping[str, str] = field(default_factory=dict)

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
        self._check_suggestions()

    @property
    def size(self) -> int:
        """The approximate size of the texts in memory."""
        texts = (
            self.title,
            self.body,
            *self.details,
            *self.details.values(),
            *self.choices,
            *self.suggestions.values(),
        )
        return sum(map(len, texts))

    def _check_details(self) -> None:
        if len(self.details) > MOST_DETAILS:
            raise ValueError(f"question has more than {MOST_DETAILS} details")
        for name, value in self.details.items():
            _check_text("name of a question's detail", name, LONGEST_TITLE, least=1)
            _check_text("detail of a question", value, LONGEST_DETAIL)

    def _check_suggestions(self) -> None:
        for name, text in self.suggestions.items():
            if name not in self.extras:
                raise ValueError(f"question suggests {name!r}, which is not one of its extras")
            _check_text("suggestion of a question", text, LONGEST_SUGGESTION)

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


class OpenQuestion(FrozenRecord, frozen=True, kw_only=True):
    """A question that waits for its answer.

    `asked_at` and `expires_at` are in seconds since 1970; a question that has not been shown to anyone may
    have no `expires_at`. `node` names the node of a cluster that asks it.
    """

    id: str
    question: Question
    asked_at: float
    expires_at: float | None = None
    node: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the question in the format for front ends."""
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
            "suggestions": dict(question.suggestions),
            "asked_at": self.asked_at,
            "expires": question.expires,
            "expires_at": self.expires_at,
            **({"node": self.node} if self.node else {}),
        }


class ClosedQuestion(FrozenRecord, frozen=True, kw_only=True):
    """The outcome of a question: who answered it and through what, or why it was withdrawn."""

    id: str
    user_id: str | None
    by: str | None = None
    through: str | None = None
    reason: str | None = None

    def __str__(self) -> str:
        if self.by is not None:
            return f"The question was already answered, by {self.by} through {self.through}."
        return f"The question is no longer open: {self.reason}."

    def as_json(self) -> dict[str, Any]:
        """Return the outcome in the format for front ends."""
        return {"id": self.id, "by": self.by, "through": self.through, "reason": self.reason}


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
