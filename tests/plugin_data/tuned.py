"""A plugin for the tests: it has a setting of every type."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum

from stringd.plugin import Command, Invocation, Reply, Runtime, Service, Settings, hookimpl, setting


class Mode(StrEnum):
    FAST = "fast"
    SAFE = "safe"


@dataclass(frozen=True, slots=True, kw_only=True)
class TunedSettings:
    """The settings of the plugin."""

    loud: bool = setting(False, "Whether it shouts.", option=True)
    count: int = setting(3, "How many there are.", least=1, most=9, option=True)
    wait: float = setting(1.5, "How long it waits.", unit="seconds", least=0)
    greeting: str = setting("hello", "What it says.")
    names: tuple[str, ...] = setting((), "Whom it greets.")
    mode: Mode = setting(Mode.SAFE, "How it works.", option="--how")


@hookimpl
def stringd_settings() -> Iterable[Settings]:
    return [Settings(record=TunedSettings)]


@hookimpl
def stringd_services(runtime: Runtime) -> Iterable[Service]:
    # Hooks can already read the settings.
    count = runtime.settings(TunedSettings).count

    async def idle() -> None:
        return

    return [Service(name=f"idle-{number}", run=idle) for number in range(count)]


async def tuned(invocation: Invocation) -> Reply:
    return Reply.confirmation(json.dumps(asdict(invocation.runtime.settings(TunedSettings))))


@hookimpl
def stringd_commands() -> Iterable[Command]:
    return [Command(name="tuned", summary="Show the settings.", usage="/tuned", run=tuned)]
