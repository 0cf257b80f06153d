"""A plugin for the bench: with it, the daemon publishes no events of commands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stringd.plugin import Runtime, Service, hookimpl


def _publish_nothing(*_: Any, **__: Any) -> None:
    """Stand for the bus."""


@hookimpl
def stringd_services(runtime: Runtime) -> Iterable[Service]:
    """Take the bus away once the daemon runs."""

    async def silence() -> None:
        vars(runtime.events)["publish_lazily"] = _publish_nothing

    return [Service(name="silence", run=silence)]
