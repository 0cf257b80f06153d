"""Validation of answers by the kind of question."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from stringd.api.questions import Answer, AnswerValue, Question, QuestionKind
from stringd.errors import AnswerInvalid, Refusal
from stringd.workers.guarded_calls import call

LONGEST_TEXT = 64 * 1024
LONGEST_SECRET = 4000
"""In bytes: terminals do not accept longer lines."""
LONGEST_COMMENT = 4096
LONGEST_NAME = 64
LARGEST_EXTRAS = 64 * 1024
_YES = frozenset({"y", "yes", "true", "approve"})
_NO = frozenset({"n", "no", "false", "deny"})


def make_answer(
    question: Question,
    value: object,
    *,
    by: str,
    through: str,
    comment: str | None = None,
    extras: Mapping[str, Any] | None = None,
) -> Answer:
    """Return a checked answer, or raise `AnswerInvalid`, whose message never quotes the value."""
    answer = Answer(
        value=_checked(question, value),
        by=by,
        through=checked_name(through),
        comment=None if comment is None else _checked_text(comment, "comment", LONGEST_COMMENT),
        extras=_checked_extras(question, extras or {}),
    )
    if question.check:
        try:
            call(question.check, answer)
        except Refusal as refusal:
            raise AnswerInvalid(refusal.message) from None
    return answer


def value_of_text(question: Question, text: str) -> object:
    """Return the value that a typed text denotes: yes or no, a choice or its number, or the text itself."""
    if question.kind is QuestionKind.APPROVE:
        word = text.strip().lower()
        return True if word in _YES else False if word in _NO else text
    if question.kind is QuestionKind.CHOICE and text not in question.choices:
        number = text.strip()
        is_number = number.isascii() and number.isdigit() and len(number) < 4
        if is_number and 1 <= int(number) <= len(question.choices):
            return question.choices[int(number) - 1]
    return text


def checked_name(through: object) -> str:
    """Return the name of the front end of an answer, or raise `AnswerInvalid`."""
    if not isinstance(through, str) or not 0 < len(through) <= LONGEST_NAME or not through.isprintable():
        raise AnswerInvalid(f"through must be a name of 1 to {LONGEST_NAME} printable characters")
    return through


def _checked(question: Question, value: object) -> AnswerValue:
    match question.kind:
        case QuestionKind.APPROVE:
            if not isinstance(value, bool):
                raise AnswerInvalid("The answer must be yes or no (true or false)")
            return value
        case QuestionKind.TEXT:
            return _checked_text(value, "answer", LONGEST_TEXT)
        case QuestionKind.SECRET:
            return _checked_secret(value)
        case QuestionKind.CHOICE:
            if not isinstance(value, str) or value not in question.choices:
                raise AnswerInvalid(f"The answer must be one of the {len(question.choices)} choices")
            return value


def _checked_text(value: object, name: str, most: int) -> str:
    if not isinstance(value, str):
        raise AnswerInvalid(f"The {name} must be a text")
    if len(value) > most:
        raise AnswerInvalid(f"The {name} has more than {most} characters")
    if not _is_encodable(value):
        raise AnswerInvalid(f"The {name} can't be encoded in UTF-8")
    return value


def _checked_secret(value: object) -> str:
    text = _checked_text(value, "answer", LONGEST_SECRET)
    # The secret may be typed into a terminal, where control characters act as keys.
    if not text or _has_controls(text):
        raise AnswerInvalid("The answer must be one line without control characters")
    if len(text.encode()) > LONGEST_SECRET:
        raise AnswerInvalid(f"The answer has more than {LONGEST_SECRET} bytes")
    return text


def _has_controls(text: str) -> bool:
    return any(ord(it) < 0x20 or 0x7F <= ord(it) < 0xA0 for it in text)


def _checked_extras(question: Question, extras: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in extras:
        if name not in question.extras:
            shown = name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}..."
            raise AnswerInvalid(f"The question does not accept the field {shown!r}")
    if len(json.dumps(dict(extras))) > LARGEST_EXTRAS:
        raise AnswerInvalid(f"The fields of the answer have more than {LARGEST_EXTRAS} characters")
    return dict(extras)


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
