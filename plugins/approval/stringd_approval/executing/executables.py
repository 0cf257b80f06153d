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
_SHEBANG = b"#!"
_LONGEST_SHEBANG = 256


class ResolvedProgram(NamedTuple):
    """The file of a program: None if there is none, and then `problem` says why in the system's words.

    `target` is where symbolic links lead; `interpreter` is the first word of a script's `#!` line.
    """

    program: str
    path: str | None
    target: str | None = None
    interpreter: str | None = None
    problem: str | None = None

    @property
    def is_link(self) -> bool:
        """Whether the file is found through symbolic links."""
        return self.path != self.target


def resolve(program: str, path: str = SEARCH_PATH, directory: str = "/") -> ResolvedProgram:
    """Return what runs for a program's name, in a directory and with a search path."""
    try:
        found = find_program(program, path, directory)
        target = os.path.realpath(found)
        return ResolvedProgram(program, found, target, _interpreter(target))
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


def find_for_root(program: str, directory: str = "/") -> str:
    """Return the file that root would run; what only root can look up is left to sudo."""
    if "/" in program:
        return _candidates(program, SEARCH_PATH, directory)[0]
    found = (it for it in _candidates(program, SEARCH_PATH, directory) if _is_executable_by_root(it))
    return next(found, program)


def _is_executable_by_root(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - supervisors import no pathlib
    except OSError:
        return False
    return stat.S_ISREG(mode) and bool(mode & _EXECUTABLE)


def _failure(path: str) -> int:
    """Return why a file can't be executed, as the system's number; 0 if it can."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - supervisors import no pathlib
    except OSError as error:
        return error.errno or errno.ENOENT
    return 0 if stat.S_ISREG(mode) and os.access(path, os.X_OK) else errno.EACCES


def _interpreter(path: str) -> str | None:
    try:
        with open(path, "rb") as script:  # noqa: PTH123 - supervisors import no pathlib
            line = script.read(_LONGEST_SHEBANG).partition(b"\n")[0]
    except OSError:
        return None
    words = line.removeprefix(_SHEBANG).split() if line.startswith(_SHEBANG) else ()
    return os.fsdecode(words[0]) if words else None
