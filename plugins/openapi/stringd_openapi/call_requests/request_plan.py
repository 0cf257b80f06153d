"""Make the request of a call: read its values, check them, and write them where the operation says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from stringd.plugin import ErrorCode, Refusal
from stringd_openapi.call_requests.given_values import typed, without_read_only
from stringd_openapi.call_requests.request_bodies import RequestBody, request_body
from stringd_openapi.call_requests.styles import (
    cookie_pairs,
    encode_value,
    header_text,
    path_text,
    query_pairs,
    scalar_text,
)
from stringd_openapi.call_requests.value_checks import SchemaChecks, expected_types
from stringd_openapi.model.operations import Body, Operation, Parameter

_TEMPLATE = re.compile(r"\{([^{}]*)\}")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_DOT_SEGMENTS = frozenset({".", ".."})


class RequestPlan(Struct, frozen=True, kw_only=True):
    """A request without its server and its secrets; `target` is what follows the server's URL."""

    method: str
    target: str
    headers: Mapping[str, str]
    cookies: tuple[str, ...] = ()
    body: RequestBody | None = None


def plan_request(operation: Operation, given: Mapping[str, Any], boundary: str) -> RequestPlan:
    """Return the request for the values by their flags, or refuse values that the schemas do not allow.

    Runs in a worker process: checking a value against a stranger's schema may never end.
    """
    try:
        return _Planner(operation, given).plan(boundary)
    except RecursionError:
        message = f"act.{operation.id}: its schema or its values are nested too deeply to be checked"
        raise Refusal(ErrorCode.INVALID_PARAMS, message) from None


class _Planner:
    """Makes the request of one call."""

    def __init__(self, operation: Operation, given: Mapping[str, Any]) -> None:
        self._operation = operation
        self._given = given
        self._checks = SchemaChecks(operation.definitions)
        self._faults: list[str] = []

    def plan(self, boundary: str) -> RequestPlan:
        """Return the request, or refuse with everything that is wrong with its values."""
        values = [(it, self._value(it)) for it in self._operation.parameters if it.flag in self._given]
        self._require(it for it in self._operation.parameters if it.required)
        body = self._body(boundary)
        if self._faults:
            first, *others = self._faults
            raise Refusal(
                ErrorCode.INVALID_PARAMS, first, *others, f"Usage: /act.{self._operation.id} --help"
            )
        query = "&".join(it for parameter, value in values for it in _query(parameter, value))
        return RequestPlan(
            method=self._operation.method,
            target=self._path(values) + (f"?{query}" if query else ""),
            headers={it.name.lower(): _header(it, value) for it, value in values if it.location == "header"},
            cookies=tuple(
                pair for it, value in values if it.location == "cookie" for pair in cookie_pairs(it, value)
            ),
            body=body,
        )

    def _value(self, parameter: Parameter) -> Any:
        value = typed(self._given[parameter.flag], parameter.schema, self._checks)
        self._faults += self._checks.messages(value, parameter.schema, parameter.flag)
        return value

    def _require(self, required: Iterator[Parameter]) -> None:
        for it in required:
            if it.flag not in self._given:
                expected = expected_types(it.schema, self._operation.definitions)
                self._faults.append(f"{it.flag}: expected {expected}, received nothing")

    def _path(self, values: list[tuple[Parameter, Any]]) -> str:
        texts = {it.name: path_text(it, value) for it, value in values if it.location == "path"}
        if empty := [it.flag for it, _ in values if it.location == "path" and not texts[it.name]]:
            message = f"{empty[0]}: expected a part of the URL's path, received nothing"
            raise Refusal(ErrorCode.INVALID_PARAMS, message)
        # Some descriptions tell operations of one path apart by what follows a `#`, which is never sent.
        template = self._operation.path.partition("#")[0]
        path = _TEMPLATE.sub(lambda found: texts.get(found[1], found[0]), template)
        if any(it in _DOT_SEGMENTS for it in path.split("/")):
            names = ", ".join(it.flag for it, _ in values if it.location == "path")
            message = f"{names}: expected a part of the URL's path, received . or .."
            raise Refusal(ErrorCode.INVALID_PARAMS, message)
        return re.sub(r"[^\x21-\x7e]|[\"<>\\^`{|}#]", lambda found: encode_value(found[0]), path)

    def _body(self, boundary: str) -> RequestBody | None:
        body = self._operation.body
        if body is None:
            return None
        value, is_given = self._body_value(body)
        if not is_given:
            if body.required and not body.fields:
                self._faults.append(f"{body.whole}: expected a body, received nothing")
            elif not body.required:
                return None
        value = without_read_only(value, body.schema, self._operation.definitions)
        self._check_body(body, value)
        return None if self._faults else request_body(body, value, boundary)

    def _body_value(self, body: Body) -> tuple[Any, bool]:
        fields = {it.name: it for it in body.fields if it.flag in self._given}
        whole = self._given.get(body.whole) if body.whole else None
        if whole is not None:
            whole = typed(whole, body.schema, self._checks)
        if not fields:
            return ({} if whole is None and body.fields else whole), whole is not None
        if whole is not None and not isinstance(whole, dict):
            self._faults.append(f"{body.whole}: expected an object, as its members are given too")
        members = dict(whole) if isinstance(whole, dict) else {}
        if both := sorted(members.keys() & fields.keys()):
            self._faults.append(f"{fields[both[0]].flag}: given twice, also in --{body.whole}")
        for name, it in fields.items():
            members[name] = typed(self._given[it.flag], it.schema, self._checks)
        return members, True

    def _check_body(self, body: Body, value: Any) -> None:
        if body.is_file:
            return
        if isinstance(value, dict) and body.fields:
            # The content of files is not checked.
            checked = {**value, **dict.fromkeys(body.files & value.keys(), "")}
            faults = self._checks.messages(checked, body.schema, "")
            self._faults += [f"body{it}" if it.startswith(":") else it.removeprefix(".") for it in faults]
        elif value is not None or body.required:
            self._faults += self._checks.messages(value, body.schema, body.whole or "body")


def _query(parameter: Parameter, value: Any) -> Iterator[str]:
    if parameter.location == "query":
        yield from query_pairs(parameter, value)
    elif parameter.location == "querystring":
        yield from _whole_query(value)


def _whole_query(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, it in value.items():
            for element in it if isinstance(it, list) else [it]:
                yield f"{encode_value(name)}={encode_value(scalar_text(element))}"
    else:
        yield encode_value(scalar_text(value))


def _header(parameter: Parameter, value: Any) -> str:
    text = header_text(parameter, value)
    if _CONTROL.search(text) or not text.isascii():
        message = f"{parameter.flag}: expected a header of ASCII characters on one line"
        raise Refusal(ErrorCode.INVALID_PARAMS, message)
    return text.strip()
