"""Tell URIs from paths in the targets that users type."""

from __future__ import annotations

import re

from stringd.api.commands import Invocation
from stringd.documents.paths.resolving import path_scope
from stringd.files.typed_paths import names_something

_URI = re.compile(r"(?!file:///)(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):(?P<slashes>//)?")


def is_typed_uri(typed: str, invocation: Invocation) -> bool:
    """Whether a target is a URI: it has `//`, or the scheme of a loader and no file has this name."""
    found = _URI.match(typed)
    if found is None or found["slashes"]:
        return found is not None
    return found["scheme"].lower() in invocation.runtime.schemes and not names_file(typed, invocation)


def names_file(typed: str, invocation: Invocation) -> bool:
    """Whether a target names an existing file or directory that the user may access."""
    full_access = invocation.runtime.config.full_access
    return names_something(typed, path_scope(invocation.session, full_access=full_access))
