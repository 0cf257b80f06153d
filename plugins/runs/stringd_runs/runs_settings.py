"""The settings of the runs plugin."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from stringd.plugin import Fault, setting
from stringd_runs.prices import Price, read_price

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")
_BUILT_IN = frozenset({"scripted", "openai-compatible", "anthropic", "process"})
_MISUSE = 2


class ProgramCommand(NamedTuple):
    """A program that answers instead of a model; it gets and prints plain text, or else JSON lines."""

    words: tuple[str, ...]
    speaks_json: bool


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
    prices: tuple[str, ...] = setting(
        (), "What models cost, as PROVIDER/MODEL=INPUT/OUTPUT in dollars for a million tokens."
    )
    first_seconds: float = setting(
        300.0, "How long a model may take to begin its answer.", unit="seconds", least=1, most=86400
    )
    idle_seconds: float = setting(
        120.0, "How long a model may pause within its answer.", unit="seconds", least=1, most=86400
    )

    def __post_init__(self) -> None:
        self.read_endpoints()
        self.read_programs()
        self.read_prices()

    def read_endpoints(self) -> Mapping[str, str]:
        """Return the URLs of the further servers by name; raise a `Fault` for a wrong entry."""
        endpoints = _named_values("endpoints", self.endpoints)
        if taken := endpoints.keys() & _BUILT_IN:
            raise _wrong(f"runs.endpoints has an entry called {min(taken)}, as another provider is")
        return endpoints

    def read_prices(self) -> Mapping[str, Price]:
        """Return the prices of models; raise a `Fault` for a wrong entry."""
        prices = {}
        for entry in self.prices:
            model, _, stated = entry.rpartition("=")
            price = read_price(stated)
            if price is None or "/" not in model:
                raise _wrong(
                    "each entry of runs.prices must be PROVIDER/MODEL=INPUT/OUTPUT with two numbers, "
                    f"not {entry!r}"
                )
            prices[model.strip()] = price
        return prices

    def read_programs(self) -> Mapping[str, ProgramCommand]:
        """Return the programs by name; raise a `Fault` for a wrong entry."""
        texts = _named_values("programs", self.programs)
        json_lines = _named_values("json_programs", self.json_programs)
        if twice := texts.keys() & json_lines.keys():
            raise _wrong(f"two programs are called {min(twice)}, in runs.programs and runs.json_programs")
        return {
            name: ProgramCommand(words=_words(name, command), speaks_json=name in json_lines)
            for name, command in {**texts, **json_lines}.items()
        }


def _named_values(key: str, entries: Sequence[str]) -> Mapping[str, str]:
    values = {}
    for entry in entries:
        name, sign, value = (it.strip() for it in entry.partition("="))
        if not sign or not value or not _NAME.fullmatch(name):
            raise _wrong(f"each entry of runs.{key} must be NAME=VALUE with a lower-case name, not {entry!r}")
        if name in values:
            raise _wrong(f"runs.{key} has two entries called {name}")
        values[name] = value
    return values


def _words(name: str, command: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise _wrong(f"the command of the program {name} cannot be read: {error}") from None
    if not words or not words[0]:
        raise _wrong(f"the command of the program {name} cannot be read: it is empty")
    return words


def _wrong(message: str) -> Fault:
    return Fault(message, exit_code=_MISUSE)
