"""Patterns of names, programs and arguments, which `allow` reads narrowly and the other verdicts widely.

A pattern that allows must not match by accident: a symbolic link, a `..` or an option that a wildcard stands
for would run something else than the rule says. A pattern that asks or forbids must not be evaded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from stringd_approval.policy.subjects import Stage

REST = "..."
"""As the last pattern of arguments: any further arguments."""
WILDCARD = re.compile(r"[*?\[]")
_INDIRECT = frozenset({"", ".", ".."})


def matches_name(patterns: Sequence[str], name: str | None) -> bool:
    """Whether a name matches one of the patterns."""
    return name is not None and any(fnmatchcase(name, pattern) for pattern in patterns)


def is_indirect(path: str) -> bool:
    """Whether an absolute path, or a pattern of one, has parts that are empty, `.` or `..`."""
    return not _INDIRECT.isdisjoint(path.split("/")[1:])


def allows_program(pattern: str, stage: Stage) -> bool:
    """Whether a pattern means exactly the program that will be executed.

    A name means the program to which the search path leads by that name, whether the request has the name or
    that path. A path means itself; its wildcards match within its parts.
    """
    if "/" in pattern:
        return stage.found is not None and _allows_path(pattern, stage.found)
    return matches_name([pattern], stage.known_as)


def concerns_program(pattern: str, stage: Stage) -> bool:
    """Whether a pattern may mean a program, by any of its paths or names."""
    paths = [it for it in (stage.typed, stage.found, stage.real) if it]
    called = paths if "/" in pattern else [PurePosixPath(it).name for it in paths]
    return any(fnmatchcase(it, pattern) for it in called)


def allows_arguments(patterns: Sequence[str], arguments: Sequence[str]) -> bool:
    """Whether arguments match, and no wildcard stands for an option or leads out of a directory."""
    return concerns_arguments(patterns, arguments) and all(
        map(_allows_argument, _without_rest(patterns), arguments)
    )


def concerns_arguments(patterns: Sequence[str], arguments: Sequence[str]) -> bool:
    """Whether each argument matches its pattern."""
    fixed = _without_rest(patterns)
    is_open = len(fixed) < len(patterns)
    if len(arguments) < len(fixed) or (len(arguments) > len(fixed) and not is_open):
        return False
    return all(map(fnmatchcase, arguments, fixed))


def _allows_path(pattern: str, path: str) -> bool:
    expected, parts = pattern.split("/"), path.split("/")
    if len(expected) != len(parts) or is_indirect(path):
        return False
    return all(map(fnmatchcase, parts, expected))


def _allows_argument(pattern: str, argument: str) -> bool:
    wildcard = WILDCARD.search(pattern)
    if wildcard is None:
        return True
    is_option = argument.startswith("-") and wildcard.start() == 0
    leads_up = "/" in pattern and ".." in re.split(r"[/=]", argument)
    return not is_option and not leads_up


def _without_rest(patterns: Sequence[str]) -> Sequence[str]:
    return patterns[:-1] if patterns and patterns[-1] == REST else patterns
