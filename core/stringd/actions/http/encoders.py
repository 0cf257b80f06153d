"""How values stand in a URL, a header, a JSON text and a form, so that each stays one value."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from urllib.parse import quote, urlencode

from stringd.actions.arguments.values import Value, as_json, as_json_object, as_text
from stringd.actions.placeholders import Encoder, is_one_slot
from stringd.errors import Refusal

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
_UNSENDABLE = re.compile(r"[^\x21-\x7e]+")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_FORM = re.compile(r"[\w.\[\]-]+=")
_JSON_STRING_EDGE = re.compile(r'\\.|"', re.DOTALL)


class _UrlEncoder:
    """Percent-encodes values as components; the author's part stays as it is, as far as it can be sent."""

    def author(self, text: str) -> str:
        return _UNSENDABLE.sub(lambda found: quote(found[0]), text)

    def secret(self, text: str) -> str:
        return self.author(text)

    def value(self, value: Value | None) -> str:
        return "" if value is None else quote(as_text(value), safe="")


class _HeaderEncoder:
    """Leaves values as they are, and refuses those that would begin another header."""

    def author(self, text: str) -> str:
        return text

    def secret(self, text: str) -> str:
        return _single_line(text)

    def value(self, value: Value | None) -> str:
        return "" if value is None else _single_line(as_text(value))


class _TextEncoder:
    """Leaves everything as it is."""

    def author(self, text: str) -> str:
        return text

    def secret(self, text: str) -> str:
        return text

    def value(self, value: Value | None) -> str:
        return "" if value is None else as_text(value)


class _FormEncoder(_TextEncoder):
    """Percent-encodes what is put into a form."""

    def secret(self, text: str) -> str:
        return quote(text, safe="")

    def value(self, value: Value | None) -> str:
        return "" if value is None else quote(as_text(value), safe="")


class _JsonEncoder:
    """Escapes what stands inside of the author's strings, and writes JSON values elsewhere."""

    def __init__(self) -> None:
        self._in_string = False

    def author(self, text: str) -> str:
        for edge in _JSON_STRING_EDGE.finditer(text):
            if edge[0] == '"':
                self._in_string = not self._in_string
        return text

    def secret(self, text: str) -> str:
        return self.value(text)

    def value(self, value: Value | None) -> str:
        if self._in_string:
            return "" if value is None else json.dumps(as_text(value), ensure_ascii=False)[1:-1]
        return as_json(value)


def _single_line(text: str) -> str:
    if _CONTROL.search(text):
        raise Refusal(
            "INVALID_PARAMS",
            "A value that goes into a header can't hold a line break or the like.",
        )
    return text


IN_URL: Encoder = _UrlEncoder()
IN_HEADER: Encoder = _HeaderEncoder()


def content_type_of(body: str, headers: Mapping[str, str]) -> str:
    """Return what a body is: what its author says, else a form where it begins like one, else JSON."""
    declared = headers.get("content-type", "")
    return declared or (FORM if _FORM.match(body) else JSON)


def left_over_body(values: Mapping[str, Value], content_type: str) -> str:
    """Return a body that is made of values alone: a form where its author says so, else JSON."""
    if _media_type(content_type) == FORM:
        return urlencode({name: as_text(value) for name, value in values.items()}, quote_via=quote)
    return as_json_object(values)


def body_encoder(body: str, content_type: str) -> Encoder:
    """Return how values stand in a body of a content type; one that is a single value stands as it is."""
    media_type = _media_type(content_type)
    if media_type == FORM:
        return _FormEncoder()
    is_json = media_type == JSON or media_type.endswith("+json")
    return _JsonEncoder() if is_json and not is_one_slot(body) else _TextEncoder()


def _media_type(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()
