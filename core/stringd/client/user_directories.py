"""The client's directories: `~/.string`, and in it a home for each user."""

from __future__ import annotations

import os
from pathlib import Path

from stringd.client.endpoints import path_segment
from stringd.errors import Fault


def program_folder() -> Path:
    """Return `~/.string`; create it if missing."""
    return _private(home_directory() / ".string")


def user_home(user: str) -> Path:
    """Return the default home of a user; create it if missing."""
    return _private(_private(program_folder() / "users") / path_segment(user))


def home_directory() -> Path:
    """Return the home directory: `HOME` if it is absolute, else that of the user database."""
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
