"""Read the text of a description: JSON or YAML, whatever its name says."""

from __future__ import annotations

import codecs
import re
from typing import Any

from stringd.plugin import ErrorCode, Refusal
from stringd_openapi.reading.yaml_text import read_yaml_text

LARGEST = 64 * 1024 * 1024
"""The most bytes of a description, and of each document that it refers to."""
_KIND = re.compile(rb"""(?:^|[{,\n])[ \t\r]*["']?(?:openapi|swagger)["']?[ \t]*:[ \t]*["']?[\d.]+""")
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_LOOKED_AT = 1024 * 1024


def is_description(data: bytes) -> bool:
    """Whether bytes look like a description of OpenAPI or Swagger, in JSON or YAML."""
    found = _KIND.search(data[:_LOOKED_AT]) or _KIND.search(data[-_LOOKED_AT:])
    return found is not None


def read_text(data: bytes) -> Any:
    """Return the value of a JSON or YAML text, or refuse."""
    if len(data) > LARGEST:
        raise Refusal(ErrorCode.INVALID_PAYLOAD, f"More than {LARGEST // 1024**2} MiB of description")
    # The worker imports it with the first description.
    import orjson

    try:
        return orjson.loads(data.removeprefix(codecs.BOM_UTF8))
    except orjson.JSONDecodeError as error:
        text = _decoded(data)
        if text.lstrip().startswith("{") and _is_far(error.pos, text):
            message = f"Not JSON: {error.msg} in line {error.lineno}"
            raise Refusal(ErrorCode.INVALID_PAYLOAD, message) from None
        return read_yaml_text(text)


def _is_far(position: int, text: str) -> bool:
    """Whether an error is so far behind that the text is JSON, not a flow mapping of YAML."""
    return '"' in text[: max(position, 0)]


def _decoded(data: bytes) -> str:
    encoding = next((name for mark, name in _BOMS if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise Refusal(
            ErrorCode.INVALID_PAYLOAD, f"Not a text: {error.reason} at byte {error.start}"
        ) from None
