"""Read the body of a request: which of its media types is sent, and the flags that it is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from stringd.plugin.text import parse_media_type
from stringd_openapi.model.json_schemas import SchemaReader, follow, types_of
from stringd_openapi.model.names import flag_of
from stringd_openapi.model.object_members import object_members
from stringd_openapi.model.operations import WHOLE_BODY, Body, BodyField, Schema
from stringd_openapi.reading.references import References, members, text_of

JSON, FORM, MULTIPART = "application/json", "application/x-www-form-urlencoded", "multipart/form-data"
_ANY = frozenset({"*/*", "application/*"})
_TEXTS = ("text/", "application/xml", "application/yaml", "application/graphql")


def is_json(media_type: str) -> bool:
    """Whether bodies of a media type are JSON."""
    essence = parse_media_type(media_type).type
    return essence == JSON or essence.endswith("+json")


def is_text(media_type: str) -> bool:
    """Whether bodies of a media type are typed as they are."""
    essence = parse_media_type(media_type).type
    return essence.startswith(_TEXTS) or essence.endswith(("+xml", "+yaml")) or essence == "*/*"


def read_body(given: Mapping[str, Any], schemas: SchemaReader, references: References) -> Body | None:
    """Return the body of an operation; None if it takes none."""
    content = {str(name): references.follow(it) for name, it in members(given.get("content")).items()}
    if not content:
        return None
    media_type = min(content, key=lambda it: _preference(it, content[it], references))
    described = content[media_type]
    schema = schemas.read(described.get("schema", True))
    body = Body(
        media_type=JSON if media_type in _ANY and not _is_binary(schema, schemas.definitions) else media_type,
        required=given.get("required") is True,
        schema=schema,
        whole=WHOLE_BODY,
        encoding={str(name): members(it) for name, it in members(described.get("encoding")).items()},
        description=text_of(given.get("description")),
        example=described.get("example"),
    )
    return _with_fields(body, schemas.definitions)


def _preference(media_type: str, described: Mapping[str, Any], references: References) -> int:
    """Return how late a media type is chosen; files can only be sent in a form of several parts."""
    essence = parse_media_type(media_type).type
    if essence == MULTIPART and _has_files(references.follow(described.get("schema")), references):
        return 0
    if essence == JSON:
        return 1
    kinds = (is_json(essence), essence == FORM, essence == MULTIPART, essence in _ANY, is_text(essence))
    return 2 + next((number for number, it in enumerate(kinds) if it), len(kinds))


def _has_files(schema: Mapping[str, Any], references: References) -> bool:
    found = [references.follow(it) for it in members(schema.get("properties")).values()]
    found += [references.follow(it.get("items")) for it in found]
    return any(_holds_bytes(it) for it in found)


def _holds_bytes(schema: Mapping[str, Any]) -> bool:
    is_binary = "contentMediaType" in schema and "contentEncoding" not in schema
    return schema.get("format") == "binary" or schema.get("type") == "file" or is_binary


def _is_binary(schema: Schema, definitions: Mapping[str, Schema]) -> bool:
    return _holds_bytes(follow(schema, definitions))


def _with_fields(body: Body, definitions: Mapping[str, Schema]) -> Body:
    essence = parse_media_type(body.media_type).type
    structured = is_json(essence) or essence in {FORM, MULTIPART}
    if not structured:
        found = follow(body.schema, definitions)
        is_encoded = found.get("format") == "byte" or "contentEncoding" in found
        is_file = _holds_bytes(found) or not (is_text(essence) or is_encoded)
        return replace(body, is_file=is_file)
    made = object_members(body.schema, definitions)
    if made is None:
        return body
    fields = tuple(
        BodyField(flag=flag_of(name), name=name, required=name in made.required, schema=it)
        for name, it in made.schemas.items()
    )
    has_null = any("null" in types_of(it, definitions) for it in made.schemas.values())
    files = frozenset(name for name, it in made.schemas.items() if _takes_files(it, definitions))
    return replace(
        body,
        fields=fields,
        # Flags cannot say null, so a body that has nullable members can be given as a whole.
        whole=WHOLE_BODY if made.is_open or has_null else "",
        files=files if essence == MULTIPART else frozenset(),
    )


def _takes_files(schema: Schema, definitions: Mapping[str, Schema]) -> bool:
    made = follow(schema, definitions)
    if types_of(schema, definitions) & {"array"} and "items" in made:
        made = follow(made["items"], definitions)
    return _holds_bytes(made)
