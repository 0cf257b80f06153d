"""Find the file that runs for the name of a program, as execvp does.

Supervisors import this module: it must not import `stringd.plugin`.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import NamedTuple

SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""The `PATH` of all stages."""
_EXECUTABLE = 0o111


class ResolvedProgram(NamedTuple):
    """The file of a program: None if there is none, and then `problem` says why in the system's words.

    `target` is where symbolic links lead.
    """

    program: str
    path: str | None
    target: str | None = None
    problem: str | None = None

    @property
    def is_link(self) -> bool:
        """Whether the file is found through symbolic links."""
        return self.path != self.target


def resolve(
    program: str, path: str = SEARCH_PATH, directory: str = "/", *, for_root: bool = False
) -> ResolvedProgram:
    """Return what runs for a program's name, in a directory and with a search path."""
    try:
        find = find_for_root if for_root else find_program
        found = find(program, path, directory)
        return ResolvedProgram(program, found, os.path.realpath(found))
    except (OSError, ValueError) as error:
        problem = error.strerror if isinstance(error, OSError) else str(error)
        return ResolvedProgram(program, None, problem=problem)


def find_program(program: str, path: str = SEARCH_PATH, directory: str = "/") -> str:
    """Return the file of a program; raise `OSError` if there is none, or none that may be executed."""
    failures = []
    for candidate in _candidates(program, path, directory):
        failure = _failure(candidate)
        if not failure:
            return candidate
        failures.append(failure)
    number = errno.EACCES if errno.EACCES in failures else failures[-1]
    raise OSError(number, os.strerror(number), program)


def _candidates(program: str, path: str, directory: str) -> list[str]:
    if "/" in program:
        return [f"{directory.rstrip('/')}/{program}" if program[0] != "/" else program]
    return [f"{entry}/{program}" for entry in path.split(":")]


def find_for_root(program: str, path: str = SEARCH_PATH, directory: str = "/") -> str:
    """Return the file that root would run; raise `OSError` if there is none.

    A name is never left to sudo, which has a search path of its own. A path that only root can look up is.
    """
    failures = []
    for candidate in _candidates(program, path, directory):
        failure = _failure_for_root(candidate)
        if failure == 0 or (failure is None and "/" in program):
            return candidate
        failures.append(failure)
    number = failures[-1] or errno.ENOENT
    raise OSError(number, os.strerror(number), program)


def _failure_for_root(path: str) -> int | None:
    """Return why root can't execute a file, 0 if it can, and None if only root can look it up."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - supervisors import no pathlib
    except PermissionError:
        return None
    except OSError as error:
        return error.errno or errno.ENOENT
    return 0 if stat.S_ISREG(mode) and mode & _EXECUTABLE else errno.EACCES


def _failure(path: str) -> int:
    """Return why a file can't be executed, as the system's number; 0 if it can."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - supervisors import no pathlib
    except OSError as error:
        return error.errno or errno.ENOENT
    return 0 if stat.S_ISREG(mode) and os.access(path, os.X_OK) else errno.EACCES
