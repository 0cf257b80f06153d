"""Placeholders in an action's text, `{name}`, `{name[0]}` and `{name|file}`, and how they are filled."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Container, Iterator, Mapping
from typing import Protocol, TypeAlias

from msgspec import Struct

from stringd.actions.values.secret_taint import SECRET_REFERENCE, Taint
from stringd.actions.values.typed_values import Value, as_text
from stringd.errors import ErrorCode, Refusal

ReadFile: TypeAlias = Callable[[str], bytes]

# `{{x}}` is syntax of other languages and `${x}` of the shell, but `{"n":{n}}` contains a placeholder.
_PLACEHOLDER = re.compile(
    r"(?<![{$])\{(?P<name>[^\W\d][\w-]*)(?P<index>\[\d{1,9}\])?(?P<modifiers>(?:\|(?:base64file|base64|file))*)\}"
)
_ESCAPED_DOLLAR = re.compile(r"\\\$(?=[A-Za-z_])")


class Placeholder(Struct, frozen=True, kw_only=True):
    """A placeholder: its span, the index of a tuple element, and the modifiers applied to the value."""

    start: int
    end: int
    name: str
    index: int | None
    modifiers: tuple[str, ...]

    def resolve(self, value: Value | None, read_file: ReadFile) -> Value | None:
        """Return what replaces the placeholder, given the parameter's value; None if it has none."""
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
        message = f"{text} is not UTF-8 text; the action would have to take it as |base64file."
        raise Refusal(ErrorCode.INVALID_PARAMS, message) from None


def find_placeholders(text: str, names: Container[str]) -> Iterator[Placeholder]:
    """Yield the placeholders of these names, in order; all other braces are literal text."""
    for found in _PLACEHOLDER.finditer(text):
        if found["name"] in names:
            yield Placeholder(
                start=found.start(),
                end=found.end(),
                name=found["name"],
                index=int(found["index"][1:-1]) if found["index"] else None,
                modifiers=tuple(found["modifiers"].split("|")[1:]),
            )


def placeholder_names(text: str) -> Iterator[str]:
    """Yield the names of all placeholders."""
    return (found["name"] for found in _PLACEHOLDER.finditer(text))


def is_single_placeholder(text: str) -> bool:
    """Return whether the whole text is a single placeholder."""
    return _PLACEHOLDER.fullmatch(text.strip()) is not None


class Encoder(Protocol):
    """Encodes literal text, secrets and values for one part of a request."""

    def author(self, text: str) -> str:
        """Encode literal text of the author."""

    def secret(self, text: str) -> str:
        """Encode the value of a `$NAME`."""

    def value(self, value: Value | None) -> str:
        """Encode a value, or None for an optional parameter without one."""


class FilledText(Struct, frozen=True, kw_only=True):
    """A filled text, and whether it contains a secret."""

    text: str
    holds_secret: bool


class PlaceholderFiller:
    """Fills the placeholders and `$NAME`s of an action's texts; a `$NAME` in a value is never expanded."""

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

    def placeholders(self, text: str) -> Iterator[Placeholder]:
        """Yield the placeholders of a text that this filler fills."""
        return find_placeholders(text, self._values)

    def holds_secret(self, values: Mapping[str, Value]) -> bool:
        """Return whether any of the values holds a secret."""
        return any(self._taint.taints(name, value) for name, value in values.items())

    def fill(self, text: str, encoder: Encoder) -> FilledText:
        """Fill a text, or refuse if it contains a `$NAME` that is not set."""
        pieces: list[str] = []
        position, holds_secret = 0, False
        for placeholder in self.placeholders(text):
            pieces += self._author(text[position : placeholder.start], encoder)
            value, reader = self._values[placeholder.name], _TaintedReader(self._read_file, self._taint)
            pieces.append(encoder.value(placeholder.resolve(value, reader)))
            holds_secret = holds_secret or reader.is_tainted or self._taint.taints(placeholder.name, value)
            position = placeholder.end
        pieces += self._author(text[position:], encoder)
        return FilledText(
            text="".join(pieces), holds_secret=holds_secret or bool(SECRET_REFERENCE.search(text))
        )

    def _author(self, text: str, encoder: Encoder) -> Iterator[str]:
        position = 0
        for found in SECRET_REFERENCE.finditer(text):
            yield encoder.author(_ESCAPED_DOLLAR.sub("$", text[position : found.start()]))
            yield encoder.secret(self._secret(found["name"]))
            position = found.end()
        yield encoder.author(_ESCAPED_DOLLAR.sub("$", text[position:]))

    def _secret(self, name: str) -> str:
        if name not in self._secrets:
            set_it = f'Set it: /set ${name} = "..."'
            hints = set_it, "The action's author can write a \\ before it to mean the text itself."
            raise Refusal(ErrorCode.INVALID_PARAMS, f"The action needs ${name}, which is not set.", *hints)
        return self._secrets[name]


class _TaintedReader:
    """Reads files for modifiers, and records whether any of them contains a secret."""

    def __init__(self, read_file: ReadFile, taint: Taint) -> None:
        self._read_file = read_file
        self._taint = taint
        self.is_tainted = False

    def __call__(self, path: str) -> bytes:
        data = self._read_file(path)
        self.is_tainted = self.is_tainted or self._taint.is_in(data)
        return data
