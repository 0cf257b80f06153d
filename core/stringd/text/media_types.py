"""Parsing of media types as `Content-Type` headers carry them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct, field

# Quoted strings may hold separators; single quotes are no quotes in the standard, yet servers use them.
_PARAMETER = re.compile(
    r""";\s*+([^\s=;,"]++)\s*+=\s*+(?:"((?:[^"\\]|\\.)*+)"|'?+([^"';,\s]*+))""", re.DOTALL
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


class MediaType(Struct, frozen=True, kw_only=True):
    """A type such as `text/html` with its parameters; type and parameter names are in lower case."""

    type: str
    parameters: Mapping[str, str] = field(default_factory=dict)

    @property
    def charset(self) -> str | None:
        """The `charset` parameter in lower case; None where there is none."""
        return self.parameters.get("charset", "").lower() or None


def parse_media_type(header: str) -> MediaType:
    """Parse a `Content-Type`, ignoring what is malformed; the type of an empty header is empty.

    The first of several parameters of one name counts.
    """
    type_, separator, _ = header.partition(";")
    parameters: dict[str, str] = {}
    if separator:
        for match in _PARAMETER.finditer(header, len(type_)):
            name, quoted, bare = match.groups()
            value = bare if quoted is None else _ESCAPED.sub(r"\1", quoted)
            parameters.setdefault(name.lower(), value)
    return MediaType(type=type_.strip().lower(), parameters=parameters)
