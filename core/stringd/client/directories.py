"""Where a client keeps things: the program's folder in the home directory, and a home for each user."""

from __future__ import annotations

import os
from pathlib import Path

from stringd.client.endpoints import path_segment
from stringd.errors import Fault


def program_folder() -> Path:
    """Return `~/.string`, created if need be."""
    return _private(home_directory() / ".string")


def user_home(user: str) -> Path:
    """Return the home that a user gets who has none yet, created if need be."""
    return _private(_private(program_folder() / "users") / path_segment(user))


def home_directory() -> Path:
    """Return the home directory of whoever runs this: `HOME` if it is usable, else the account's."""
    for candidate in (os.environ.get("HOME", ""), _account_home()):
        if Path(candidate).is_absolute():
            return Path(candidate)
    raise Fault("There is no home directory: set HOME to an absolute path.")


def _account_home() -> str:
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return ""


def _private(folder: Path) -> Path:
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise Fault(f"The folder {folder} cannot be made: {error.strerror}.") from error
    return folder
