"""Parses the arguments of commands that take a path, with options before or after it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from stringd.errors import ErrorCode, Refusal
from stringd.text.nearest import nearest

_QUOTED = re.compile(r"""(["'])(.*)\1""", re.DOTALL)
_MARK = _END = "--"
# Each costs a scan of the whole text; further options are taken as part of the path.
_MOST_OPTIONS = 16
_OPTION_LIKE = re.compile(r"(--[a-z][a-z-]*)(=\S*)?(?=\s|$)")
# What no file name with blanks begins with, so that options behind it are options.
_NO_FILE = re.compile(r"[a-z][a-z\d+.-]*://|[@#]", re.IGNORECASE)
_BLANK_BEFORE_MARK = re.compile(r"\s(?=--)")
_VALUE = r"""(?:"[^"\n]*"|'[^'\n]*'|[^\s"']+)"""
_BETWEEN = re.compile(r"=|\s+")


class PathArguments(Struct, frozen=True, kw_only=True):
    """A path as typed, blanks included, the given options, and the values of those that take one."""

    path: str
    options: frozenset[str] = frozenset()
    values: Mapping[str, str] = field(default_factory=dict)


def parse_path_arguments(arguments: str, *known: str, valued: Sequence[str] = ()) -> PathArguments:
    """Parse a path and the known options, such as `--force`; refuse any other option.

    The `valued` ones are followed by a word, or by `=` and a word; the last occurrence wins. Everything after
    `--` is the path. Unknown words like options are part of a path, but not of a URI, `@id` or `#block`.
    """
    if _MARK not in arguments:
        return PathArguments(path=_unquoted(arguments.strip()))
    # Empty alternatives would match everywhere.
    option = "|".join((*map(re.escape, known), *(rf"{it}(?:=|\s+){_VALUE}" for it in valued))) or r"(?!)"
    path, leading = _without_leading(arguments.strip(), option)
    if path == _END or re.match(rf"{_END}\s", path):
        return _arguments(path.removeprefix(_END).strip(), leading)
    path, trailing = _without_trailing(path, option)
    _refuse_bare(path, valued)
    _refuse_unknown(path, (*known, *valued))
    return _arguments(path, [*leading, *trailing])


def _without_leading(path: str, option: str) -> tuple[str, list[str]]:
    given: list[str] = []
    leading = re.compile(rf"({option})(?:\s+|\Z)")
    while len(given) < _MOST_OPTIONS and (found := leading.match(path)):
        given.append(found[1])
        path = path[found.end() :]
    return path, given


def _without_trailing(path: str, option: str) -> tuple[str, list[str]]:
    given: list[str] = []
    trailing = re.compile(rf"(?<=\s)({option})\Z")
    while len(given) < _MOST_OPTIONS and (found := trailing.search(path)):
        given.insert(0, found[1])
        path = path[: found.start()].rstrip()
    return path, given


def _arguments(path: str, given: Sequence[str]) -> PathArguments:
    parts = [_BETWEEN.split(it, maxsplit=1) for it in given]
    return PathArguments(
        path=_unquoted(path),
        options=frozenset(it[0] for it in parts if len(it) == 1),
        values={it[0]: _unquoted(it[1]) for it in parts if len(it) > 1},
    )


def _refuse_unknown(path: str, known: Sequence[str]) -> None:
    unknown = _OPTION_LIKE.match(path) or _option_behind(path)
    if unknown:
        takes = f"options: {', '.join(known)}" if known else "It takes no options."
        meant = nearest(unknown[1], known)
        hint = [f"nearest: {meant}"] if meant else []
        raise Refusal(ErrorCode.INVALID_PAYLOAD, f"Unknown option: {unknown[0]}", takes, *hint)


def _option_behind(path: str) -> re.Match[str] | None:
    """Return the first word like an option behind what can't be a file name."""
    if not _NO_FILE.match(path):
        return None
    blanks = _BLANK_BEFORE_MARK.finditer(path)
    return next(filter(None, (_OPTION_LIKE.match(path, it.end()) for it in blanks)), None)


def _refuse_bare(path: str, valued: Sequence[str]) -> None:
    leading = _OPTION_LIKE.match(path)
    for option in valued:
        if (leading and leading[1] == option) or re.search(rf"\s{option}=?\Z", path):
            raise Refusal(ErrorCode.INVALID_PAYLOAD, f"{option} needs a value.")


def _unquoted(path: str) -> str:
    quoted = _QUOTED.fullmatch(path)
    return quoted[2] if quoted else path
