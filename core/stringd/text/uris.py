"""Recognize URIs, and resolve links relative to them."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import urljoin, urlsplit, uses_relative

from stringd.errors import ErrorCode, Refusal

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?!L\d)")


def is_uri(target: str) -> bool:
    """Whether a target is a URI; `file:` URIs count as paths."""
    return _URI.match(target) is not None and not target.startswith("file:")


def is_hierarchical(uri: str) -> bool:
    """Whether a target that begins with a slash is relative to the URI's site."""
    return urlsplit(uri).scheme in uses_relative


def absolute(uri: str, target: str) -> str:
    """Resolve a link in the document of a URI to one that means the same everywhere."""
    is_path = target.startswith("~") or (target.startswith("/") and not is_hierarchical(uri))
    return target if is_path or is_uri(target) else resolve_uri(uri, target)


def resolve_uri(uri: str, target: str) -> str:
    """Resolve a relative link in the document of a URI; return a malformed one unchanged."""
    try:
        return join(uri, target)
    except Refusal:
        return target


def join(uri: str, target: str) -> str:
    """Resolve a relative link in the document of a URI; refuse a malformed one."""
    try:
        if is_hierarchical(uri):
            return urljoin(uri, target)
    except ValueError:
        raise Refusal(ErrorCode.INVALID_TARGET, f"Not a URL: {target}") from None
    if is_uri(target):
        return target
    scheme, _, base = uri.partition(":")
    path, mark, block = target.partition("#")
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(base), path)) if path else base
    return f"{scheme}:{joined}{mark}{block}"
