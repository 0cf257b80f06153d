"""Headers that an action must not declare: those that frame the message or choose its recipient."""

from __future__ import annotations

import re

from stringd.documents.syntax.diagnostics import DiagnosticCode

# They belong to one connection or frame the message, so only the HTTP client can write them.
_RESERVED = frozenset(
    {"connection", "content-length", "expect", "keep-alive", "proxy-connection", "te", "trailer"}
    | {"transfer-encoding", "upgrade"}
)
_HOST = "host"
_AUTHORITY = re.compile(r"[\w.:\[\]-]+", re.ASCII)


def header_fault(name: str, value: str) -> DiagnosticCode | None:
    """Return why an action can't declare this header; None if it can."""
    if name.lower() in _RESERVED:
        return DiagnosticCode.HEADER_RESERVED
    if name.lower() == _HOST and not _AUTHORITY.fullmatch(value):
        return DiagnosticCode.HEADER_HOST
    return None
