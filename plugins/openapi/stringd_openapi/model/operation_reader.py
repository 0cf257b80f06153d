"""Read one operation of a description."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from stringd.plugin.documents import Names
from stringd_openapi.model.bodies import read_body
from stringd_openapi.model.json_schemas import Definitions, SchemaReader
from stringd_openapi.model.names import flag_of, group_of
from stringd_openapi.model.operations import Body, Operation, Parameter
from stringd_openapi.model.security_schemes import UNNAMED, security_schemes
from stringd_openapi.reading.references import References, members, objects, text_of
from stringd_openapi.reading.servers import server_urls

_DEFAULT_STYLES = {"path": "simple", "header": "simple", "query": "form", "cookie": "form"}
# OpenAPI describes these headers by other means.
_IGNORED_HEADERS = frozenset({"accept", "content-type", "authorization"})
# They belong to one connection, or name the host.
_RESERVED_HEADERS = frozenset(
    {"connection", "content-length", "expect", "host", "keep-alive", "proxy-connection", "te", "trailer"}
    | {"transfer-encoding", "upgrade", "cookie", "proxy-authorization"}
)


def closed(operation: Operation) -> Operation:
    """Return an operation with all schemas that it needs, independent of its description."""
    assert isinstance(operation.definitions, Definitions)
    return replace(operation, definitions=operation.definitions.closed())


class OperationReader:
    """Reads operations of one description."""

    def __init__(self, document: Mapping[str, Any], *, tagged: bool) -> None:
        self._document = document
        self._references = References(document)
        self._tagged = tagged
        self._schemes = security_schemes(document)

    def read(self, action: str, path: str, method: str) -> Operation:
        """Return an operation by its id, path and method; its schemas are read when they are needed."""
        item = self._references.follow(members(self._document.get("paths")).get(path))
        operation = members(item.get(method)) or members(
            members(item.get("additionalOperations")).get(method)
        )
        schemas = SchemaReader(self._references)
        parameters = list(self._parameters(item, operation, schemas))
        body = read_body(self._references.follow(operation.get("requestBody")), schemas, self._references)
        named, body = _with_flags(parameters, body)
        security = security_of(operation if "security" in operation else self._document, self._schemes)
        responses = {
            str(status): self._references.follow(it)
            for status, it in members(operation.get("responses")).items()
        }
        return Operation(
            id=action,
            method=method.upper(),
            path=path,
            group=group_of(operation, path, is_tagged=self._tagged),
            summary=text_of(operation.get("summary")),
            description=text_of(operation.get("description")),
            deprecated=operation.get("deprecated") is True,
            parameters=named,
            body=body,
            definitions=schemas.definitions,
            security=security,
            schemes={name: it for name, it in self._schemes.items() if any(name in one for one in security)},
            servers=server_urls(operation.get("servers")) or server_urls(item.get("servers")),
            responses={status: text_of(it.get("description")) for status, it in responses.items()},
            accepts=tuple(dict.fromkeys(_media_types(responses))),
        )

    def _parameters(
        self, item: Mapping[str, Any], operation: Mapping[str, Any], schemas: SchemaReader
    ) -> Iterator[Parameter]:
        found: dict[tuple[str, str], Mapping[str, Any]] = {}
        for it in (*_listed(item.get("parameters")), *_listed(operation.get("parameters"))):
            given = self._references.follow(it)
            found[text_of(given.get("name")), text_of(given.get("in"))] = given
        for (name, location), it in found.items():
            if _is_sent(name, location):
                yield _parameter(it, name, location, schemas)


def security_of(
    described: Mapping[str, Any], schemes: Mapping[str, object]
) -> tuple[Mapping[str, tuple[str, ...]], ...]:
    """Return the alternatives of a description or an operation: the names of schemes, with their scopes."""
    if UNNAMED in schemes:
        return ({}, {UNNAMED: ()})
    return tuple(
        {str(name): tuple(it for it in scopes or () if isinstance(it, str)) for name, scopes in one.items()}
        for one in objects(described.get("security"))
        if all(name in schemes for name in one)
    )


def _listed(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list) else ()


def _is_sent(name: str, location: str) -> bool:
    if location == "header":
        return bool(name) and name.lower() not in _IGNORED_HEADERS | _RESERVED_HEADERS
    return bool(name) and location in {"path", "query", "cookie", "querystring"}


def _parameter(given: Mapping[str, Any], name: str, location: str, schemas: SchemaReader) -> Parameter:
    style = text_of(given.get("style")) or _DEFAULT_STYLES.get(location, "form")
    explode = given.get("explode")
    content = members(given.get("content"))
    media_type = next(iter(content), "")
    described = members(content.get(media_type)) if content else given
    schema = schemas.read(described.get("schema", True))
    return Parameter(
        flag=flag_of(name),
        name=name,
        location=location,
        required=given.get("required") is True or location == "path",
        style=style,
        explode=explode if isinstance(explode, bool) else style in {"form", "cookie"},
        schema=schema,
        keeps_reserved=given.get("allowReserved") is True,
        media_type=media_type,
        description=text_of(given.get("description")) or text_of(schemas.follow(schema).get("description")),
        example=example_of(described),
        deprecated=given.get("deprecated") is True,
    )


def example_of(given: Mapping[str, Any]) -> Any:
    """Return the first example of a parameter or a media type."""
    if "example" in given:
        return given["example"]
    examples = members(given.get("examples"))
    return next((it.get("value") for it in examples.values() if isinstance(it, Mapping)), None)


def _media_types(responses: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    for it in responses.values():
        yield from (str(name) for name in members(it.get("content")))


def _with_flags(parameters: list[Parameter], body: Body | None) -> tuple[tuple[Parameter, ...], Body | None]:
    """Give every parameter and member of the body a flag of its own; the required ones come first."""
    names = Names()
    ordered = sorted(parameters, key=lambda it: (not it.required, it.location != "path"))
    named = [replace(it, flag=_free(names, it.flag, it.location)) for it in ordered]
    if body is None:
        return tuple(named), None
    whole = names.take(body.whole) if body.whole else ""
    by_need = sorted(body.fields, key=lambda it: not it.required)
    fields = [replace(it, flag=_free(names, it.flag, "body")) for it in by_need]
    return tuple(named), replace(body, fields=tuple(fields), whole=whole)


def _free(names: Names, flag: str, location: str) -> str:
    """Return the flag; where another parameter has it already, with the location behind it."""
    return names.take(f"{flag}-{location}" if flag in names else flag)
