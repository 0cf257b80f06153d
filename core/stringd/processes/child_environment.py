"""The environment of programs: a fixed list of the daemon's variables, and those that the user names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from fnmatch import translate
from functools import lru_cache

from stringd.api.runtime import Runtime
from stringd.api.sessions import Session

_LOCALE = ("LANG", "LANGUAGE", "LC_*")
_ACCOUNT = ("USER", "LOGNAME", "SHELL", "TZ", "TMPDIR")
_DESKTOP = ("SSH_AUTH_SOCK", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR")
KEPT = (*_LOCALE, *_ACCOUNT, *_DESKTOP)
"""The variables that every shell command inherits besides `PATH`; `*` matches anything."""


def author_environment(session: Session) -> dict[str, str]:
    """Return the environment of an author's command: paths and locale."""
    return {**_inherited(_LOCALE), "HOME": str(session.user.home)}


def shell_environment(runtime: Runtime, session: Session) -> dict[str, str]:
    """Return the environment of a topic's shells; with it, `string` finds this daemon."""
    return {**kept_environment(runtime), **topic_environment(runtime, session)}


def kept_environment(runtime: Runtime) -> dict[str, str]:
    """Return the environment that all shells share."""
    return _inherited((*KEPT, *runtime.config.kept_variables))


def topic_environment(runtime: Runtime, session: Session) -> dict[str, str]:
    """Return the variables that the shells of one topic have in addition."""
    user = session.user
    return {"HOME": str(user.home), "STRINGD_PORT": str(runtime.port), "STRINGD_USER": user.id}


def _inherited(patterns: Iterable[str]) -> dict[str, str]:
    return {"PATH": os.defpath, **_matching(os.environ, ("PATH", *patterns))}


def _matching(environment: Mapping[str, str], patterns: Iterable[str]) -> dict[str, str]:
    is_wanted = _any_variable_pattern(tuple(patterns)).match
    return {name: value for name, value in environment.items() if is_wanted(name)}


@lru_cache(maxsize=16)
def _any_variable_pattern(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(translate, patterns)))
