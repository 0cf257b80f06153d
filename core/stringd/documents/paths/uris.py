"""What is a URI, and what a target means that stands beside one."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import urljoin, urlsplit, uses_relative

from stringd.errors import Refusal

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?!L\d)")


def is_uri(target: str) -> bool:
    """Tell a URI from a path; a file's URI is a path."""
    return _URI.match(target) is not None and not target.startswith("file:")


def is_hierarchical(uri: str) -> bool:
    """Tell whether a target that begins with a slash belongs to the URI's own site."""
    return urlsplit(uri).scheme in uses_relative


def absolute(uri: str, target: str) -> str:
    """Return what a target means wherever it is used, that stands in the document of a URI."""
    is_path = target.startswith("~") or (target.startswith("/") and not is_hierarchical(uri))
    return target if is_path or is_uri(target) else joined(uri, target)


def joined(uri: str, target: str) -> str:
    """Return the URI that a relative target means; one that can't be read stays as it is."""
    try:
        return join(uri, target)
    except Refusal:
        return target


def join(uri: str, target: str) -> str:
    """Return the URI that a relative target means in the document of a URI; refuse one that can't be read."""
    try:
        if is_hierarchical(uri):
            return urljoin(uri, target)
    except ValueError:
        raise Refusal("INVALID_TARGET", f"Not a URL: {target}") from None
    if is_uri(target):
        return target
    scheme, _, place = uri.partition(":")
    path, mark, block = target.partition("#")
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(place), path)) if path else place
    return f"{scheme}:{joined}{mark}{block}"
