"""The arguments of commands that take a path: the path as typed, options before or after it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from stringd.errors import Refusal

_QUOTED = re.compile(r"""(["'])(.*)\1""", re.DOTALL)
_END = "--"
_OPTION_LIKE = re.compile(r"--[a-z][a-z-]*(?=\s|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class PathArguments:
    """A path as typed, blanks and all, and the options that were given."""

    path: str
    options: frozenset[str] = frozenset()


def parse_path_arguments(arguments: str, *known: str) -> PathArguments:
    """Read a path and the known options, each such as `--force`; any other option is refused.

    Behind `--` all is the path.
    """
    path, given = arguments.strip(), set()
    while option := next((it for it in known if _leads(path, it)), None):
        given.add(option)
        path = path.removeprefix(option).strip()
    if _leads(path, _END):
        return PathArguments(path=_unquoted(path.removeprefix(_END).strip()), options=frozenset(given))
    while option := next((it for it in known if _trails(path, it)), None):
        given.add(option)
        path = path.removesuffix(option).strip()
    _refuse_unknown(path, known)
    return PathArguments(path=_unquoted(path), options=frozenset(given))


def _refuse_unknown(path: str, known: tuple[str, ...]) -> None:
    unknown = _OPTION_LIKE.match(path)
    if unknown:
        takes = f"options: {', '.join(known)}" if known else "It takes no options."
        raise Refusal("INVALID_PAYLOAD", f"Unknown option: {unknown[0]}", takes)


def _unquoted(path: str) -> str:
    quoted = _QUOTED.fullmatch(path)
    return quoted[2] if quoted else path


def _leads(path: str, option: str) -> bool:
    return path == option or (path.startswith(option) and path[len(option)].isspace())


def _trails(path: str, option: str) -> bool:
    return path.endswith(option) and path[-len(option) - 1].isspace()
