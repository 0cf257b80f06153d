"""The settings of the runs plugin."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stringd.plugin import Fault, setting

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsSettings:
    """What people can set for runs: where models are, and how long they may take."""

    openai_url: str = setting(
        "https://api.openai.com/v1", "The base URL of the server behind openai-compatible/MODEL."
    )
    anthropic_url: str = setting(
        "https://api.anthropic.com", "The base URL of the server behind anthropic/MODEL."
    )
    endpoints: tuple[str, ...] = setting(
        (), "Further OpenAI-compatible servers, as NAME=URL; their models are NAME/MODEL."
    )
    programs: tuple[str, ...] = setting(
        (), "Programs that answer with a text instead of a model, as NAME=COMMAND; they are process/NAME."
    )
    json_programs: tuple[str, ...] = setting((), "Programs that answer with JSON lines, likewise.")
    program_variables: tuple[str, ...] = setting(
        (), "The variables of the daemon's environment that these programs get, besides the usual ones."
    )
    first_seconds: float = setting(
        300.0, "How long a model may take to begin its answer.", unit="seconds", least=1, most=86400
    )
    idle_seconds: float = setting(
        120.0, "How long a model may pause within its answer.", unit="seconds", least=1, most=86400
    )


def named_values(key: str, entries: Sequence[str]) -> Mapping[str, str]:
    """Return the values of a setting whose entries are `NAME=VALUE`; raise a `Fault` for others."""
    values = {}
    for entry in entries:
        name, sign, value = (it.strip() for it in entry.partition("="))
        if not sign or not value or not _NAME.fullmatch(name):
            raise Fault(f"each entry of runs.{key} must be NAME=VALUE with a lower-case name, not {entry!r}")
        if name in values:
            raise Fault(f"runs.{key} has two entries called {name}")
        values[name] = value
    return values
