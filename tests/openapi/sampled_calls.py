"""Call a seeded sample of a description's operations, with values of the tests' own making."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from stringd.testing.process import DaemonProcess
from stringd_openapi.model.names import is_tagged, operation_keys
from stringd_openapi.model.operation_reader import OperationReader
from stringd_openapi.model.operations import Body, Operation
from tests.actions.service import Service
from tests.openapi.example_values import ExampleValues
from tests.openapi.recorded_request import faults_of, is_deep

FILE = "~/file.bin"
_OPTIONAL, _OPTIONAL_BODY = 0.3, 0.5


@dataclass(frozen=True, kw_only=True)
class SampledCall:
    """A call, and what was wrong with it."""

    operation: str
    command: str
    faults: tuple[str, ...]


def sampled_calls(
    daemon: DaemonProcess, service: Service, name: str, document: dict[str, Any], count: int
) -> Iterator[SampledCall]:
    """Call some operations of an installed app, and check what the service received."""
    random = Random(name)
    keys = list(operation_keys(document))
    reader = OperationReader(document, tagged=is_tagged(document))
    for key in random.sample(keys, min(count, len(keys))):
        operation = reader.read(*key)
        if operation.body and not is_decoded(operation.body):
            continue
        flags = _Flags(document, key, operation, random).all()
        command = f"/act.{operation.id}" + "".join(f" --{flag}={_typed(it)}" for flag, it in flags.items())
        before = len(service.received)
        reply = daemon.exec(command, f"app:{name}")
        received = service.received[before:]
        faults: tuple[str, ...] = (reply.content[:400],)
        if reply.head["ok"] and len(received) == 1:
            faults = tuple(faults_of(received[0], service.url, document, key[1], key[2]))
        yield SampledCall(operation=operation.id, command=command, faults=faults)


def is_decoded(body: Body) -> bool:
    """Whether the library decodes bodies like this one: no XML, no mail, and no patches of JSON."""
    decoded = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data", "text/plain")
    return body.is_file or body.media_type.partition(";")[0] in decoded


class _Flags:
    """Makes the flags of one call: every required value, and some others."""

    def __init__(
        self, document: dict[str, Any], key: tuple[str, str, str], operation: Operation, random: Random
    ) -> None:
        self._values = ExampleValues(document, random)
        self._item = self._values.follow(document["paths"][key[1]])
        self._declared = self._item[key[2]]
        self._operation = operation
        self._random = random

    def all(self) -> dict[str, Any]:
        flags = dict(self._parameters())
        body = self._operation.body
        if body and (body.required or self._random.random() < _OPTIONAL_BODY):
            flags.update(self._body(body))
        return flags

    def _parameters(self) -> Iterator[tuple[str, Any]]:
        listed = (*self._item.get("parameters", ()), *self._declared.get("parameters", ()))
        given = [self._values.follow(it) for it in listed]
        by_place = {(it.get("in"), it.get("name")): it for it in given}
        for it in self._operation.parameters:
            declared = by_place[it.location, it.name]
            is_unreadable = self._is_unreadable(declared, declared.get("schema"))
            if it.required or (self._random.random() < _OPTIONAL and not is_unreadable):
                content = next(iter(declared.get("content", {}).values()), declared)
                value = self._values.value(content.get("schema", {}))
                yield it.flag, _ascii(value) if it.location == "header" else value

    def _body(self, body: Body) -> Mapping[str, Any]:
        content = self._values.follow(self._declared["requestBody"])["content"]
        described = content.get(body.media_type, next(iter(content.values())))
        made = self._values.value(described.get("schema", {}))
        if body.is_file:
            return {body.whole: FILE}
        if not body.fields or not isinstance(made, dict):
            return {body.whole: made}
        schemas = self._values.follow(described.get("schema")).get("properties", {})
        encodings = described.get("encoding", {})
        return {
            it.flag: FILE if it.name in body.files else made[it.name]
            for it in body.fields
            if it.name in made
            and (
                it.required
                or not self._is_unreadable(encodings.get(it.name, {}), schemas.get(it.name), in_body=True)
            )
        }

    def _is_unreadable(self, declared: dict[str, Any], schema: Any, *, in_body: bool = False) -> bool:
        """Whether the library cannot decode a value: it knows `deepObject` only for objects, in a query."""
        return is_deep(declared) and (in_body or self._values.follow(schema).get("type") != "object")


def _ascii(value: Any) -> Any:
    return json.loads(json.dumps(value).replace("\\u00e9", "e"))


def _typed(value: Any) -> str:
    """A value as somebody would type it."""
    text = value if isinstance(value, str) else json.dumps(value)
    return "'" + text.replace("'", "'\"'\"'") + "'"
