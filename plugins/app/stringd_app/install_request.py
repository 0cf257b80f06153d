"""The arguments of `/install`: a path or URL, or the words of a kind of source that a plugin adds."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from stringd.plugin import ErrorCode, Refusal
from stringd.plugin.text import parse_path_arguments
from stringd_app.app_sources import AppSource

AS, REPLACE, UPDATE = "--as", "--replace", "--update"
USAGE = (
    "/install path | directory | archive | url [--as name] [--replace]\n/install --update name [--replace]"
)
_APP, _END = "--app", "--"


class InstallRequest(Struct, frozen=True, kw_only=True):
    """A parsed `/install`: the source as typed, another name for the app, and whether it may replace an app.

    `words` are those behind the name of a `kind` of source, and `options` those of a file of any kind. A
    request that `updates` names an app in place of a source.
    """

    source: str
    alias: str | None = None
    replaces: bool = False
    updates: bool = False
    kind: AppSource | None = None
    words: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def arguments(self) -> str:
        """The words and options as JSON, for the install record; empty without any."""
        given = {"words": list(self.words), "options": dict(self.options)}
        return json.dumps(given) if self.words or self.options else ""


def read_request(arguments: str, sources: Sequence[AppSource]) -> InstallRequest:
    """Parse the arguments, or refuse them."""
    name, _, typed = arguments.strip().partition(" ")
    kind = next((it for it in sources if it.name == name), None)
    if kind is not None and typed.strip():
        return _of_kind(kind, typed.strip())
    options = dict.fromkeys(option for it in sources for option in it.options)
    read = parse_path_arguments(arguments, _APP, REPLACE, UPDATE, valued=(AS, *options))
    if not read.path:
        usages = [line for text in (USAGE, *(it.usage for it in sources)) for line in text.splitlines()]
        raise Refusal(ErrorCode.INVALID_PAYLOAD, "Nothing to install.", *(f"Usage: {it}" for it in usages))
    values = {name: value for name, value in read.values.items() if name != AS}
    updates = UPDATE in read.options
    if updates and read.values:
        given = ", ".join(read.values)
        raise Refusal(
            ErrorCode.INVALID_PAYLOAD, f"{UPDATE} keeps the name and options of an app, so not {given}"
        )
    return InstallRequest(
        source=read.path.removeprefix("app:") if updates else read.path,
        alias=read.values.get(AS),
        replaces=REPLACE in read.options,
        updates=updates,
        options=values,
    )


def _of_kind(kind: AppSource, typed: str) -> InstallRequest:
    try:
        words = shlex.split(typed)
    except ValueError as error:
        raise Refusal(ErrorCode.INVALID_PAYLOAD, f"{error}: {typed}", f"Usage: {kind.usage}") from None
    end = words.index(_END) if _END in words else len(words)
    alias, replaces, rest = None, False, []
    waiting = words[:end]
    while waiting:
        word = waiting.pop(0)
        if word == REPLACE:
            replaces = True
        elif word == AS or word.startswith(f"{AS}="):
            alias = word.removeprefix(AS).removeprefix("=") or (waiting.pop(0) if waiting else "")
            if not alias:
                raise Refusal(ErrorCode.INVALID_PAYLOAD, f"{AS} needs a value.")
        else:
            rest.append(word)
    if not (rest or words[end:]):
        raise Refusal(ErrorCode.INVALID_PAYLOAD, "Nothing to install.", f"Usage: {kind.usage}")
    return InstallRequest(
        source=f"{kind.name} {typed}",
        alias=alias,
        replaces=replaces,
        kind=kind,
        words=(*rest, *words[end:]),
    )
