"""Operations as calls need them: what is sent where, and what the answers mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from stringd_openapi.model.security_schemes import SecurityScheme

Schema = Mapping[str, Any] | bool

WHOLE_BODY = "body"
"""The flag of a body that is given as a whole."""


class Parameter(Struct, frozen=True, kw_only=True):
    """A parameter of a request: its flag in calls, its name and location there, and its form."""

    flag: str
    name: str
    location: str
    required: bool
    style: str
    explode: bool
    schema: Schema
    keeps_reserved: bool = False
    media_type: str = ""
    description: str = ""
    example: Any = None
    deprecated: bool = False


class BodyField(Struct, frozen=True, kw_only=True):
    """A member of a body that has a flag of its own."""

    flag: str
    name: str
    required: bool
    schema: Schema


class Body(Struct, frozen=True, kw_only=True):
    """The body of a request.

    `whole` is the flag of the body itself, if it is not only made of its fields. `files` are the names of the
    fields whose values are paths of files; a body that is nothing but a file `is_file`.
    """

    media_type: str
    required: bool
    schema: Schema
    fields: tuple[BodyField, ...] = ()
    whole: str = ""
    encoding: Mapping[str, Any] = field(default_factory=dict)
    files: frozenset[str] = frozenset()
    is_file: bool = False
    description: str = ""
    example: Any = None


class Operation(Struct, frozen=True, kw_only=True):
    """An operation; `definitions` are the schemas that its schemas refer to as `#/$defs/…`.

    `security` are the alternatives: each maps the names of schemes to scopes. `servers` are its own ones.
    `responses` are the descriptions of statuses, `accepts` the media types of its answers.
    """

    id: str
    method: str
    path: str
    group: str
    summary: str = ""
    description: str = ""
    deprecated: bool = False
    parameters: tuple[Parameter, ...] = ()
    body: Body | None = None
    definitions: Mapping[str, Schema] = field(default_factory=dict)
    security: tuple[Mapping[str, tuple[str, ...]], ...] = ()
    schemes: Mapping[str, SecurityScheme] = field(default_factory=dict)
    servers: tuple[str, ...] = ()
    responses: Mapping[str, str] = field(default_factory=dict)
    accepts: tuple[str, ...] = ()

    def flags(self) -> Iterator[str]:
        """Yield the flags of its parameters and of its body."""
        yield from (it.flag for it in self.parameters)
        if self.body:
            yield from (it.flag for it in self.body.fields)
            if self.body.whole:
                yield self.body.whole
