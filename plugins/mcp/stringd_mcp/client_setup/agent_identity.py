"""The user and the home that the options of `stringd mcp` name."""

from __future__ import annotations

import argparse
import os
import re
import shlex
from pathlib import Path

from stringd.plugin import Fault

_UNFIT = re.compile(r"[^A-Za-z0-9_-]+")
_MISUSE = 2


def agent_user(arguments: argparse.Namespace) -> str | None:
    """Return the user that is named, if one is; a home is given to that user only.

    The home belongs to the user, so giving one to the user of all other clients would move theirs.
    """
    user: str | None = arguments.user or os.environ.get("STRINGD_USER") or None
    if user is None and arguments.home is not None:
        name = _UNFIT.sub("-", arguments.home.absolute().name).strip("-").lower() or "agent"
        example = f"--user {name} --home {shlex.quote(str(arguments.home))}"
        raise Fault(
            f"--home needs a user of its own, since all clients of a user share its home: {example}",
            exit_code=_MISUSE,
        )
    return user


def agent_home(arguments: argparse.Namespace) -> Path | None:
    """Return the home that is given, if one is."""
    if arguments.home is None:
        return None
    home = Path(arguments.home).absolute()
    if not home.is_dir():
        raise Fault(f"--home {home} is not a directory; create it first", exit_code=_MISUSE)
    return home
