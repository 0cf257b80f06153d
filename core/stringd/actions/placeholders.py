"""The places in an action's text that take a value: `{name}`, `{name[0]}`, `{name|file}`."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from stringd.actions.arguments.values import Value, as_text
from stringd.actions.taint import Taint
from stringd.errors import Refusal

ReadFile: TypeAlias = Callable[[str], bytes]

# `{{x}}` belongs to other languages, `${x}` to the shell; `{"n":{n}}` holds one.
_SLOT = re.compile(
    r"(?<![{$])\{(?P<name>[^\W\d][\w-]*)(?P<index>\[\d{1,9}\])?(?P<modifiers>(?:\|(?:base64file|base64|file))*)\}"
)
_SECRET = re.compile(r"(?<!\\)\$(?P<name>[A-Za-z_]\w*)", re.ASCII)
_ESCAPED_DOLLAR = re.compile(r"\\\$(?=[A-Za-z_])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One place for a value: from where to where it stands, which part of a tuple, and how it is changed."""

    start: int
    end: int
    name: str
    index: int | None
    modifiers: tuple[str, ...]

    def taken_from(self, value: Value | None, read_file: ReadFile) -> Value | None:
        """Return what stands here when the parameter has this value; None when it has none."""
        if value is None:
            return None
        if self.index is not None:
            parts = value if isinstance(value, tuple) else (as_text(value),)
            value = parts[self.index] if self.index < len(parts) else ""
        return _modified(as_text(value), self.modifiers, read_file) if self.modifiers else value


def _modified(text: str, modifiers: tuple[str, ...], read_file: ReadFile) -> str:
    data = text.encode()
    if not data:
        return ""
    try:
        for modifier in modifiers:
            if modifier in {"file", "base64file"}:
                data = read_file(data.decode())
            if modifier in {"base64", "base64file"}:
                data = b64encode(data)
        return data.decode()
    except UnicodeDecodeError:
        message = f"{text} is no text; the action would have to take it as |base64file."
        raise Refusal("INVALID_PARAMS", message) from None


def find_slots(text: str, names: Container[str]) -> Iterator[Slot]:
    """Yield the places for values of these names, in order; all other braces are the author's."""
    for found in _SLOT.finditer(text):
        if found["name"] in names:
            yield Slot(
                start=found.start(),
                end=found.end(),
                name=found["name"],
                index=int(found["index"][1:-1]) if found["index"] else None,
                modifiers=tuple(found["modifiers"].split("|")[1:]),
            )


def slot_names(text: str) -> Iterator[str]:
    """Yield the names in all that looks like a place for a value."""
    return (found["name"] for found in _SLOT.finditer(text))


def secret_names(text: str) -> Iterator[str]:
    """Yield the `$NAME`s in an author's text."""
    return (found["name"] for found in _SECRET.finditer(text))


def is_one_slot(text: str) -> bool:
    """Whether a text is a single place for a value and nothing else."""
    return _SLOT.fullmatch(text.strip()) is not None


class Encoder(Protocol):
    """How one part of a request takes the author's text and the values in it."""

    def author(self, text: str) -> str:
        """Return a stretch of the author's text as it is sent."""

    def secret(self, text: str) -> str:
        """Return the value of a `$NAME` as it is sent."""

    def value(self, value: Value | None) -> str:
        """Return a value as it is sent; None where an optional one was not given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """A text with its values in it, and whether one of them is a secret."""

    text: str
    holds_secret: bool


class Filling:
    """Fills an action's texts: the author's `$NAME`s first, so that none in a value is ever taken for one."""

    def __init__(
        self,
        values: Mapping[str, Value | None],
        secrets: Mapping[str, str],
        read_file: ReadFile,
        taint: Taint,
    ) -> None:
        self._taint = taint
        self._values = values
        self._secrets = secrets
        self._read_file = read_file

    def slots(self, text: str) -> Iterator[Slot]:
        """Yield the places that are filled in a text."""
        return find_slots(text, self._values)

    def holds_secret(self, values: Mapping[str, Value]) -> bool:
        """Whether one of some values holds a secret."""
        return any(self._taint.taints(name, value) for name, value in values.items())

    def fill(self, text: str, encoder: Encoder) -> Filled:
        """Return a text of the author's with everything filled in, or refuse a `$NAME` that is not set."""
        pieces: list[str] = []
        position, holds_secret = 0, False
        for slot in self.slots(text):
            pieces += self._author(text[position : slot.start], encoder)
            given, reading = self._values[slot.name], _Reading(self._read_file, self._taint)
            pieces.append(encoder.value(slot.taken_from(given, reading)))
            holds_secret = holds_secret or reading.is_tainted or self._taint.taints(slot.name, given)
            position = slot.end
        pieces += self._author(text[position:], encoder)
        return Filled(text="".join(pieces), holds_secret=holds_secret or bool(_SECRET.search(text)))

    def _author(self, text: str, encoder: Encoder) -> Iterator[str]:
        position = 0
        for found in _SECRET.finditer(text):
            yield encoder.author(_ESCAPED_DOLLAR.sub("$", text[position : found.start()]))
            yield encoder.secret(self._secret(found["name"]))
            position = found.end()
        yield encoder.author(_ESCAPED_DOLLAR.sub("$", text[position:]))

    def _secret(self, name: str) -> str:
        if name not in self._secrets:
            set_it = f'Set it in the topic of the app: /set ${name} = "..."'
            hints = set_it, "For the text itself the author writes a \\ before it."
            raise Refusal("INVALID_PARAMS", f"The action needs ${name}, which is not set.", *hints)
        return self._secrets[name]


class _Reading:
    """Reads the files that modifiers name, and keeps whether one of them holds a secret."""

    def __init__(self, read_file: ReadFile, taint: Taint) -> None:
        self._read_file = read_file
        self._taint = taint
        self.is_tainted = False

    def __call__(self, path: str) -> bytes:
        data = self._read_file(path)
        self.is_tainted = self.is_tainted or self._taint.is_in(data)
        return data
