"""Encoders for values in a URL, a header, JSON and a form, so that no value can change the structure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from urllib.parse import quote, urlencode

from stringd.actions.values.placeholders import Encoder, is_single_placeholder
from stringd.actions.values.typed_values import Value, as_json, as_json_object, as_text
from stringd.errors import ErrorCode, Refusal
from stringd.text.media_types import parse_media_type

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
_UNSENDABLE = re.compile(r"[^\x21-\x7e]+")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_FORM = re.compile(r"[\w.\[\]-]+=")
_JSON_STRING_EDGE = re.compile(r'\\.|"', re.DOTALL)


class _UrlEncoder:
    """Percent-encodes values as URL components, and literal text only where it is not valid in a URL."""

    def author(self, text: str) -> str:
        return _UNSENDABLE.sub(lambda found: quote(found[0]), text)

    def secret(self, text: str) -> str:
        return self.author(text)

    def value(self, value: Value | None) -> str:
        return "" if value is None else quote(as_text(value), safe="")


class _HeaderEncoder:
    """Leaves values unchanged, and refuses those that would start another header."""

    def author(self, text: str) -> str:
        return text

    def secret(self, text: str) -> str:
        return _single_line(text)

    def value(self, value: Value | None) -> str:
        return "" if value is None else _single_line(as_text(value))


class _TextEncoder:
    """Leaves everything unchanged."""

    def author(self, text: str) -> str:
        return text

    def secret(self, text: str) -> str:
        return text

    def value(self, value: Value | None) -> str:
        return "" if value is None else as_text(value)


class _FormEncoder(_TextEncoder):
    """Percent-encodes values and secrets for a form."""

    def secret(self, text: str) -> str:
        return quote(text, safe="")

    def value(self, value: Value | None) -> str:
        return "" if value is None else quote(as_text(value), safe="")


class _JsonEncoder:
    """Escapes values inside the author's JSON strings, and writes JSON values elsewhere."""

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
            ErrorCode.INVALID_PARAMS,
            "A header value can't contain line breaks or other control characters.",
        )
    return text


IN_URL: Encoder = _UrlEncoder()
IN_HEADER: Encoder = _HeaderEncoder()


def content_type_of(body: str, headers: Mapping[str, str]) -> str:
    """Return the content type of a body: the declared one, else form data if it looks like it, else JSON."""
    declared = headers.get("content-type", "")
    return declared or (FORM if _FORM.match(body) else JSON)


def left_over_body(values: Mapping[str, Value], content_type: str) -> str:
    """Return a body made of the values alone: form data if that is the content type, else JSON."""
    if parse_media_type(content_type).type == FORM:
        return urlencode({name: as_text(value) for name, value in values.items()}, quote_via=quote)
    return as_json_object(values)


def body_encoder(body: str, content_type: str) -> Encoder:
    """Return the encoder for a body of a content type; a body that is a single placeholder is not encoded."""
    media_type = parse_media_type(content_type).type
    if media_type == FORM:
        return _FormEncoder()
    is_json = media_type == JSON or media_type.endswith("+json")
    return _JsonEncoder() if is_json and not is_single_placeholder(body) else _TextEncoder()
