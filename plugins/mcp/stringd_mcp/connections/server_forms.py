"""Ask what a server wants to know: each field of its form is a question, with what may be answered."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Struct

from stringd.plugin import Answer, ErrorCode, Question, QuestionKind, Refusal, Trust, Unanswered
from stringd.plugin.text import printable
from stringd_mcp.connections.server_call import ServerCall

Value: TypeAlias = str | int | float | bool | list[str]

ACCEPT, DECLINE, CANCEL = "accept", "decline", "cancel"
_MOST_FIELDS = 50
_MOST_CHOICES = 100
_LONGEST_TITLE = 120
_LONGEST_BODY = 4000
_NONE = "(none)"
_DECLINE = "(decline to answer)"


class Declined(Exception):
    """The person does not want to tell the server."""


class Asked(Struct, frozen=True, kw_only=True):
    """What came of it: the action for the server, and the values if it is `accept`."""

    action: str
    content: Mapping[str, Value] | None = None


async def ask_form(call: ServerCall, message: str, schema: Mapping[str, Any]) -> Asked:
    """Ask for the fields of a form, one after the other."""
    properties = schema.get("properties")
    fields = list(properties.items())[:_MOST_FIELDS] if isinstance(properties, dict) else []
    required = schema.get("required")
    needed = set(required) if isinstance(required, list) else set()
    content: dict[str, Value] = {}
    try:
        if not fields:
            await _confirm(call, f"{call.server} asks for a confirmation", _body(message))
        for number, (name, described) in enumerate(fields, 1):
            place = f" ({number} of {len(fields)})" if len(fields) > 1 else ""
            field = _Field(str(name), described if isinstance(described, dict) else {}, name in needed)
            value = await field.ask(call, message, place)
            if value is not None:
                content[str(name)] = value
    except Declined:
        return Asked(action=DECLINE)
    except Unanswered as unanswered:
        return _unanswered(call, unanswered)
    return Asked(action=ACCEPT, content=content)


async def ask_to_open(call: ServerCall, message: str, url: str) -> Asked:
    """Ask a person to open a URL of the server, which the daemon itself never does."""
    body = f"{_body(message)}\n\nIt wants you to open this address in a browser:\n{printable(url)}"
    try:
        await _confirm(call, f"{call.server} asks you to open a web page", body)
    except Declined:
        return Asked(action=DECLINE)
    except Unanswered as unanswered:
        return _unanswered(call, unanswered)
    return Asked(action=ACCEPT)


def _unanswered(call: ServerCall, unanswered: Unanswered) -> Asked:
    call.notices.append(f"[!] {call.server} has asked a question that was not answered: {unanswered.message}")
    return Asked(action=CANCEL)


async def _confirm(call: ServerCall, title: str, body: str) -> None:
    # Like every approval, it is a person's.
    question = Question(
        kind=QuestionKind.APPROVE, title=_line(title), body=body, asked_by="mcp", trust=Trust.PERSON
    )
    if not (await call.ask(question)).approved:
        raise Declined


class _Field:
    """One field of a form, of a primitive type."""

    def __init__(self, name: str, schema: Mapping[str, Any], required: bool) -> None:
        self._name = name
        self._schema = schema
        self._required = required
        self._type = schema.get("type")

    async def ask(self, call: ServerCall, message: str, place: str) -> Value | None:
        """Return the answer, None to leave the field out; raise `Declined` if it may not be left out."""
        label = self._schema.get("title") or self._name
        title = _line(f"{call.server} asks for {label}{place}")
        body = "\n\n".join(filter(None, (_body(message), self._described())))
        if choices := self._choices():
            other = _DECLINE if self._required else _NONE
            shown = (*choices, other)
            question = self._question(QuestionKind.CHOICE, title, body, choices=shown)
            answer = (await call.ask(question)).text
            return self._left_out() if answer == other else choices[answer]
        if self._type == "boolean":
            question = self._question(QuestionKind.APPROVE, title, body, trust=Trust.PERSON)
            return (await call.ask(question)).approved
        text = (await call.ask(self._question(QuestionKind.TEXT, title, body))).text
        return self._read(text) if text.strip() else self._left_out()

    def _question(
        self,
        kind: QuestionKind,
        title: str,
        body: str,
        *,
        choices: Sequence[str] = (),
        trust: Trust = Trust.ANYONE,
    ) -> Question:
        check = self._check if kind is QuestionKind.TEXT else None
        return Question(
            kind=kind,
            title=title,
            body=body,
            asked_by="mcp",
            choices=tuple(choices),
            trust=trust,
            check=check,
        )

    def _described(self) -> str:
        empty = "An empty answer declines." if self._required else "It may be left empty."
        expected = self._expected()
        hint = "" if self._type == "boolean" or self._choices() else f"Expected: {expected}. {empty}"
        default = self._schema.get("default")
        known = "" if default is None else f"Default: {_line(str(default))}"
        return "\n".join(filter(None, (_body(str(self._schema.get("description") or "")), known, hint)))

    def _expected(self) -> str:
        match self._type:
            case "number" | "integer":
                noun = "a whole number" if self._type == "integer" else "a number"
                limits = [
                    f"{word} {self._schema[key]}"
                    for key, word in (("minimum", "at least"), ("maximum", "at most"))
                    if isinstance(self._schema.get(key), int | float)
                ]
                return ", ".join((noun, *limits))
            case "array":
                return "texts, separated by commas"
            case _:
                form = self._schema.get("format")
                return f"a text ({_line(form)})" if isinstance(form, str) else "a text"

    def _choices(self) -> dict[str, Value]:
        """Return the values to choose from by what is shown of them."""
        names, titled = self._schema.get("enum"), self._schema.get("oneOf")
        if isinstance(titled, list) and titled:
            found = {
                _line(str(it.get("title") or it.get("const"))): it.get("const") for it in _objects(titled)
            }
        elif isinstance(names, list) and names:
            titles = self._schema.get("enumNames")
            shown = titles if isinstance(titles, list) and len(titles) == len(names) else names
            found = {_line(str(title)): value for title, value in zip(shown, names, strict=True)}
        else:
            return {}
        kept = {title: value for title, value in found.items() if isinstance(value, str | int | float)}
        return dict(list(kept.items())[:_MOST_CHOICES])

    def _left_out(self) -> Value | None:
        default = self._schema.get("default")
        if isinstance(default, str | int | float | bool):
            return default
        if self._required:
            raise Declined
        return None

    def _check(self, answer: Answer) -> None:
        if answer.text.strip():
            self._read(answer.text)

    def _read(self, text: str) -> Value:
        if self._type in {"number", "integer"}:
            return self._number(text)
        if self._type == "array":
            return [it.strip() for it in text.split(",") if it.strip()]
        least, most = self._schema.get("minLength"), self._schema.get("maxLength")
        if isinstance(least, int) and len(text) < least:
            raise self._invalid(f"at least {least} characters")
        if isinstance(most, int) and len(text) > most:
            raise self._invalid(f"at most {most} characters")
        return text

    def _number(self, text: str) -> Value:
        try:
            number = int(text) if self._type == "integer" else float(text)
        except ValueError:
            raise self._invalid(self._expected()) from None
        least, most = self._schema.get("minimum"), self._schema.get("maximum")
        is_low = isinstance(least, int | float) and number < least
        is_high = isinstance(most, int | float) and number > most
        if is_low or is_high or not math.isfinite(number):
            raise self._invalid(self._expected())
        return number

    def _invalid(self, expected: str) -> Refusal:
        return Refusal(ErrorCode.INVALID_PARAMS, f"{_line(self._name)} expects {expected}")


def _objects(values: Sequence[object]) -> list[Mapping[str, Any]]:
    return [it for it in values if isinstance(it, dict)]


def _line(text: str) -> str:
    return printable(" ".join(text.split()))[:_LONGEST_TITLE]


def _body(text: str) -> str:
    return "\n".join(printable(it) for it in text[:_LONGEST_BODY].splitlines())
