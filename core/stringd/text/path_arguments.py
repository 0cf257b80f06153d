"""The arguments of commands that take a path: the path as typed, options before or after it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from stringd.errors import Refusal

_QUOTED = re.compile(r"""(["'])(.*)\1""", re.DOTALL)
_OPTION_LIKE = re.compile(r"--[a-z][a-z-]*(?=\s|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class PathArguments:
    """A path as typed, blanks and all, and the options that were given."""

    path: str
    options: frozenset[str] = frozenset()


def parse_path_arguments(arguments: str, *known: str) -> PathArguments:
    """Read a path and the known options, each such as `--force`; any other option is refused."""
    path, given = arguments.strip(), set()
    while option := _outer_option(path, known):
        given.add(option)
        path = (path.removeprefix(option) if _leads(path, option) else path.removesuffix(option)).strip()
    unknown = _OPTION_LIKE.match(path)
    if unknown:
        takes = f"options: {', '.join(known)}" if known else "It takes no options."
        raise Refusal("INVALID_PAYLOAD", f"Unknown option: {unknown[0]}", takes)
    quoted = _QUOTED.fullmatch(path)
    return PathArguments(path=quoted[2] if quoted else path, options=frozenset(given))


def _outer_option(path: str, known: tuple[str, ...]) -> str | None:
    return next((it for it in known if _leads(path, it) or _trails(path, it)), None)


def _leads(path: str, option: str) -> bool:
    return path == option or (path.startswith(option) and path[len(option)].isspace())


def _trails(path: str, option: str) -> bool:
    return path.endswith(option) and path[-len(option) - 1].isspace()
