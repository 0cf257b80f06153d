"""Serialize parameters by their style, as RFC 6570 and OpenAPI define it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from stringd_openapi.model.operations import Parameter

Encode = Callable[[str], str]
_SEPARATORS = {"spaceDelimited": "%20", "pipeDelimited": "%7C", "tabDelimited": "%09"}
# Reserved characters that mean nothing within a value of a query, or in a path behind its segment.
_RESERVED_IN_QUERY = ":/?@!$'()*,;=[]"
_RESERVED_IN_PATH = ":@!$&'()*+,;="


def scalar_text(value: Any) -> str:
    """Return a value as text: null is empty, objects and lists are JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def path_text(parameter: Parameter, value: Any) -> str:
    """Return a parameter of the path."""
    encode = _encoder(_RESERVED_IN_PATH if parameter.keeps_reserved else "")
    prefix, joint = {"label": (".", "."), "matrix": (";", ";")}.get(parameter.style, ("", ","))
    if parameter.media_type:
        return encode(content_text(parameter, value))
    if parameter.style == "matrix":
        return "".join(f";{it}" for it in _matrix(parameter, value, encode))
    separator = joint if parameter.explode else ","
    return prefix + separator.join(_simple(value, encode, explode=parameter.explode))


def header_text(parameter: Parameter, value: Any) -> str:
    """Return a header; nothing in it is encoded."""
    if parameter.media_type:
        return content_text(parameter, value)
    return ",".join(_simple(value, str, explode=parameter.explode))


def cookie_pairs(parameter: Parameter, value: Any) -> Iterator[str]:
    """Yield the pairs of a cookie."""
    if parameter.media_type:
        yield f"{parameter.name}={quote(content_text(parameter, value), safe='')}"
    else:
        yield from _form(parameter.name, value, _encoder(""), explode=parameter.explode, separator=",")


def query_pairs(parameter: Parameter, value: Any) -> Iterator[str]:
    """Yield the pairs of a parameter of the query, encoded."""
    encode = _encoder(_RESERVED_IN_QUERY if parameter.keeps_reserved else "")
    if parameter.media_type:
        yield f"{encode_name(parameter.name)}={encode(content_text(parameter, value))}"
        return
    yield from styled_pairs(parameter.name, value, parameter.style, explode=parameter.explode, encode=encode)


def styled_pairs(name: str, value: Any, style: str, *, explode: bool, encode: Encode) -> Iterator[str]:
    """Yield the pairs of a value of a query or a form in a style."""
    if style == "deepObject":
        yield from _deep(encode_name(name), value, encode)
    else:
        separator = _SEPARATORS.get(style, ",")
        yield from _form(encode_name(name), value, encode, explode=explode, separator=separator)


def content_text(parameter: Parameter, value: Any) -> str:
    """Return a parameter that is written in a media type."""
    return scalar_text(value)


def encode_name(name: str) -> str:
    """Return the name of a parameter in a query or a form; brackets are common in names, and stay."""
    return quote(name, safe="[]")


def encode_value(text: str) -> str:
    """Return a value of a query or a form."""
    return quote(text, safe="")


def _encoder(safe: str) -> Encode:
    return lambda text: quote(text, safe=safe)


def _simple(value: Any, encode: Encode, *, explode: bool) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, it in value.items():
            if explode:
                yield f"{encode(name)}={encode(scalar_text(it))}"
            else:
                yield from (encode(name), encode(scalar_text(it)))
    else:
        yield from (encode(scalar_text(it)) for it in _elements(value))


def _matrix(parameter: Parameter, value: Any, encode: Encode) -> Iterator[str]:
    name = encode(parameter.name)
    if not parameter.explode or not isinstance(value, Mapping | list):
        yield f"{name}={','.join(_simple(value, encode, explode=False))}"
    elif isinstance(value, Mapping):
        yield from _simple(value, encode, explode=True)
    else:
        yield from (f"{name}={encode(scalar_text(it))}" for it in value)


def _form(name: str, value: Any, encode: Encode, *, explode: bool, separator: str) -> Iterator[str]:
    if isinstance(value, Mapping) and explode:
        yield from (f"{encode_name(key)}={encode(scalar_text(it))}" for key, it in value.items())
    elif isinstance(value, list) and explode:
        yield from (f"{name}={encode(scalar_text(it))}" for it in value)
    elif not isinstance(value, Mapping | list) or value:
        yield f"{name}={separator.join(_simple(value, encode, explode=False))}"


def _deep(name: str, value: Any, encode: Encode) -> Iterator[str]:
    """Yield `name[key]=value`, and for lists what most servers read: `name[]`, or `name[0][key]`."""
    if isinstance(value, Mapping):
        for key, it in value.items():
            yield from _deep(f"{name}[{encode_name(key)}]", it, encode)
    elif isinstance(value, list):
        is_flat = not any(isinstance(it, Mapping | list) for it in value)
        for number, it in enumerate(value):
            yield from _deep(f"{name}[{'' if is_flat else number}]", it, encode)
    else:
        yield f"{name}={encode(scalar_text(value))}"


def _elements(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list) else [value]
