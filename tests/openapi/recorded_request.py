"""A request as the mock server received it, checked by an independent library against the description."""

from __future__ import annotations

import json
import warnings
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from openapi_core import Config, OpenAPI
from openapi_core.datatypes import RequestParameters
from werkzeug.datastructures import Headers, ImmutableMultiDict

from tests.actions.service import Received


class RecordedRequest:
    """A received request, as the library wants to see it."""

    def __init__(self, received: Received, origin: str) -> None:
        parts = urlsplit(received.target)
        cookies = SimpleCookie(received.headers.get("Cookie", ""))
        self.host_url = origin
        self.path = parts.path
        self.method = received.method.lower()
        self.body = received.body or None
        self.content_type = received.headers.get("Content-Type", "")
        self.parameters = RequestParameters(
            query=ImmutableMultiDict(parse_qsl(parts.query, keep_blank_values=True)),
            header=Headers(list(received.headers.items())),
            cookie=ImmutableMultiDict({name: it.value for name, it in cookies.items()}),
        )


def is_deep(declared: Any) -> bool:
    """Whether a parameter or an encoding has the style `deepObject`."""
    return isinstance(declared, dict) and declared.get("style") == "deepObject"


def as_read_by_library(value: Any) -> Any:
    """A description without what the library cannot read, although it may be sent.

    It decodes no body of a media type with a wildcard, and no `deepObject` but objects of scalars.
    """
    if isinstance(value, list):
        return [as_read_by_library(it) for it in value]
    if not isinstance(value, dict):
        return value
    read = {key: as_read_by_library(it) for key, it in value.items()}
    if isinstance(read.get("content"), dict) and "*/*" in read["content"]:
        read["content"] = {"application/json": read["content"]["*/*"], **read["content"]}
    if isinstance(read.get("encoding"), dict):
        read["encoding"] = {key: it for key, it in read["encoding"].items() if not is_deep(it)}
    if isinstance(read.get("parameters"), list):
        read["parameters"] = [
            it for it in read["parameters"] if not is_deep(it) or it["schema"].get("type") == "object"
        ]
    return read


def faults_of(received: Received, origin: str, document: dict[str, Any], path: str, method: str) -> list[str]:
    """What is wrong with a request for an operation, by the independent library."""
    item = document["paths"][path]
    shared = {name: it for name, it in item.items() if name in {"parameters", "summary", "$ref"}}
    is_shared = "#/paths/" in json.dumps(document)
    operation = {name: it for name, it in item[method].items() if name != "servers"}
    # Some descriptions refer to parts of other paths.
    others = document["paths"] if is_shared else {}
    shared = item if is_shared else shared
    alone = {
        **{name: it for name, it in document.items() if name not in {"paths", "servers", "webhooks"}},
        "servers": [{"url": f"{origin}/api"}],
        "paths": {**others, path.partition("#")[0]: {**shared, method: operation}},
    }
    alone = as_read_by_library(alone)
    api = OpenAPI.from_dict(alone, config=Config(spec_validator_cls=None))
    with warnings.catch_warnings():
        # The library says so of schemes such as OAuth, which it does not check.
        warnings.simplefilter("ignore")
        errors = list(api.iter_request_errors(RecordedRequest(received, origin)))
    return [f"{type(it).__name__}: {it} {it.__cause__ or ''}"[:5000] for it in errors]
