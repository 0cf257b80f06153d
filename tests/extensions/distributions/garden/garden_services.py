"""A sprinkler that runs with the daemon, and a hose that bursts if GARDEN_HOSE says so."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterable
from functools import partial

from stringd.plugin import Runtime, Service, hookimpl


async def sprinkle(runtime: Runtime) -> None:
    notes = runtime.config.data_dir / "sprinkler.txt"
    notes.write_text("on\n", encoding="utf-8")
    try:
        await asyncio.Event().wait()
    finally:
        notes.write_text("on\noff\n", encoding="utf-8")


async def burst(how: str) -> None:
    if "exit" in how:
        sys.exit(7)
    if "cancelled" in how:
        raise asyncio.CancelledError
    if "return" in how:
        return
    raise RuntimeError("the hose has burst")


@hookimpl
def stringd_services(runtime: Runtime) -> Iterable[Service]:
    yield Service(name="sprinkler", run=partial(sprinkle, runtime))
    if how := os.environ.get("GARDEN_HOSE"):
        yield Service(name="hose", run=partial(burst, how), required="required" in how)
