"""Read a description of Swagger 2.0 as one of OpenAPI 3."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from stringd_openapi.reading.references import REF, References, members, objects, references_in, text_of

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_JSON, _FORM, _MULTIPART = "application/json", "application/x-www-form-urlencoded", "multipart/form-data"
_MOVED = {
    "#/definitions/": "#/components/schemas/",
    "#/securityDefinitions/": "#/components/securitySchemes/",
}
# What Swagger 2.0 writes into a parameter belongs to its schema.
_SCHEMA = (
    *("type", "format", "items", "default", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"),
    *("maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "enum", "multipleOf"),
    *("x-nullable", "nullable", "example", "x-example"),
)
_STYLES = {
    "multi": ("form", True),
    "ssv": ("spaceDelimited", False),
    "tsv": ("tabDelimited", False),
    "pipes": ("pipeDelimited", False),
}
_FLOWS = {"accessCode": "authorizationCode", "application": "clientCredentials"}


def upgraded(document: dict[str, Any]) -> dict[str, Any]:
    """Return a description of Swagger 2.0 in the form of OpenAPI 3.0."""
    references = References(document)
    kept = {name: it for name, it in document.items() if name not in _REPLACED}
    result = {
        "openapi": "3.0.3",
        **kept,
        "servers": [{"url": it} for it in _servers(document)],
        "paths": {
            path: _path_item(references.follow(it), document, references)
            for path, it in members(document.get("paths")).items()
            if isinstance(path, str)
        },
        "components": {
            "schemas": members(document.get("definitions")),
            "securitySchemes": {
                name: _scheme(references.follow(it))
                for name, it in members(document.get("securityDefinitions")).items()
            },
        },
    }
    for it in references_in(result):
        it[REF] = _moved(it[REF])
    return result


_REPLACED = frozenset(
    {"swagger", "host", "basePath", "schemes", "consumes", "produces", "paths", "definitions"}
    | {"parameters", "responses", "securityDefinitions"}
)


def _moved(reference: str) -> str:
    for old, new in _MOVED.items():
        if reference.startswith(old):
            return new + reference.removeprefix(old)
    return reference


def _servers(document: Mapping[str, Any]) -> Iterator[str]:
    host, base = text_of(document.get("host")), text_of(document.get("basePath")).rstrip("/")
    schemes = [it for it in document.get("schemes") or () if it in {"http", "https"}]
    if not host:
        yield base or "/"
        return
    for scheme in sorted(schemes, reverse=True) or [""]:
        yield f"{scheme}{':' if scheme else ''}//{host}{base}"


def _path_item(
    item: Mapping[str, Any], document: Mapping[str, Any], references: References
) -> dict[str, Any]:
    shared = [references.follow(it) for it in objects(item.get("parameters"))]
    kept = {name: it for name, it in item.items() if name not in {*METHODS, "parameters"}}
    operations = {
        method: _operation(item[method], shared, document, references)
        for method in METHODS
        if isinstance(item.get(method), Mapping)
    }
    return {**kept, **operations}


def _operation(
    operation: Mapping[str, Any],
    shared: list[Mapping[str, Any]],
    document: Mapping[str, Any],
    references: References,
) -> dict[str, Any]:
    own = [references.follow(it) for it in objects(operation.get("parameters"))]
    known = {(it.get("name"), it.get("in")) for it in own}
    parameters = [*own, *(it for it in shared if (it.get("name"), it.get("in")) not in known)]
    kept = {name: it for name, it in operation.items() if name not in {"consumes", "produces", "schemes"}}
    consumed = _media_types(operation, document, "consumes")
    body = _body(parameters, consumed)
    return {
        **kept,
        "parameters": [_parameter(it) for it in parameters if it.get("in") not in {"body", "formData"}],
        **({"requestBody": body} if body else {}),
        "responses": {
            str(status): _response(references.follow(it), _media_types(operation, document, "produces"))
            for status, it in members(operation.get("responses")).items()
        },
    }


def _media_types(operation: Mapping[str, Any], document: Mapping[str, Any], name: str) -> list[str]:
    found = operation[name] if name in operation else document.get(name)
    return [it for it in found or () if isinstance(it, str)] if isinstance(found, list) else []


def _parameter(parameter: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: it for name, it in parameter.items() if name not in (*_SCHEMA, "collectionFormat")}
    is_simple = parameter.get("in") in {"path", "header"}
    style, explode = _STYLES.get(
        text_of(parameter.get("collectionFormat")), ("simple" if is_simple else "form", False)
    )
    schema = kept.pop("schema", None) or _schema(parameter)
    return {**kept, "schema": schema, "style": style, "explode": explode}


def _schema(parameter: Mapping[str, Any]) -> dict[str, Any]:
    schema = {name: parameter[name] for name in _SCHEMA if name in parameter}
    if schema.get("type") == "file":
        return {**schema, "type": "string", "format": "binary"}
    return schema


def _body(parameters: list[Mapping[str, Any]], consumed: list[str]) -> dict[str, Any] | None:
    for it in parameters:
        if it.get("in") == "body":
            content = {media: {"schema": it.get("schema") or {}} for media in consumed or [_JSON]}
            return {"description": it.get("description"), "required": it.get("required"), "content": content}
    fields = [it for it in parameters if it.get("in") == "formData"]
    return _form(fields, consumed) if fields else None


def _form(fields: list[Mapping[str, Any]], consumed: list[str]) -> dict[str, Any]:
    named = {text_of(it.get("name")): it for it in fields}
    schema = {
        "type": "object",
        "properties": {
            name: {**_schema(it), "description": text_of(it.get("description"))} for name, it in named.items()
        },
        "required": [name for name, it in named.items() if it.get("required") is True],
    }
    has_file = any(it.get("type") == "file" for it in fields)
    allowed = [it for it in consumed if it in {_FORM, _MULTIPART}]
    media = _MULTIPART if has_file else (allowed or [_FORM])[0]
    encoding = {name: dict(zip(("style", "explode"), _style(it), strict=True)) for name, it in named.items()}
    content = {media: {"schema": schema, **({"encoding": encoding} if media == _FORM else {})}}
    return {"required": bool(schema["required"]), "content": content}


def _style(field: Mapping[str, Any]) -> tuple[str, bool]:
    return _STYLES.get(text_of(field.get("collectionFormat")), ("form", False))


def _response(response: Mapping[str, Any], produced: list[str]) -> dict[str, Any]:
    schema = response.get("schema")
    content = {media: {"schema": schema} for media in produced or [_JSON]} if schema else {}
    kept = {name: it for name, it in response.items() if name not in {"schema", "examples"}}
    return {**kept, **({"content": content} if content else {})}


def _scheme(scheme: Mapping[str, Any]) -> dict[str, Any]:
    match scheme.get("type"):
        case "basic":
            return {**scheme, "type": "http", "scheme": "basic"}
        case "oauth2":
            names = ("authorizationUrl", "tokenUrl", "scopes")
            flow = {name: scheme[name] for name in names if name in scheme}
            kind = text_of(scheme.get("flow"))
            return {"type": "oauth2", "flows": {_FLOWS.get(kind, kind): flow}}
        case _:
            return dict(scheme)
