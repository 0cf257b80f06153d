"""What a typed target is, to every command alike: a file that is there, a URI, or else a path."""

from __future__ import annotations

import re

from stringd.api.commands import Invocation
from stringd.documents.paths.resolving import names_something

_URI = re.compile(r"(?!file:///)(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):(?P<slashes>//)?")


def means_uri(typed: str, invocation: Invocation) -> bool:
    """Whether a target has `//`, or a scheme that a plugin loads while no file of that name is there."""
    found = _URI.match(typed)
    if found is None or found["slashes"]:
        return found is not None
    return found["scheme"].lower() in invocation.runtime.schemes and not names_file(typed, invocation)


def names_file(typed: str, invocation: Invocation) -> bool:
    """Whether a target begins with the name of something that is there and may be touched."""
    return names_something(typed, invocation.session, full_access=invocation.runtime.config.full_access)
