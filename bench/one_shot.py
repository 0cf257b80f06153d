"""Benchmarks of one-shot shell commands: `/exec` beside a shell spawned by asyncio alone."""

from __future__ import annotations

import asyncio
import time
from contextlib import closing
from typing import TYPE_CHECKING

from bench.navigator import DocumentNavigator
from bench.rooms import measurement
from bench.servers import clean_environment, daemon
from bench.table import Row, at_least
from bench.timing import compare, milliseconds

if TYPE_CHECKING:
    from collections.abc import Iterator

_TIMES = 50


@measurement
def exec_() -> Iterator[Row]:
    """`/exec true` over HTTP, compared with `bash -c true` as asyncio runs it."""
    with daemon() as server, closing(DocumentNavigator(server)) as navigator:
        # How often ours is run in the time of the reference, so the reference is what is divided.
        seen = compare(_spawned, lambda: sum(navigator.seconds("/exec true") for _ in range(_TIMES)))
    yield at_least(
        0.8,
        seen.ratio,
        what="`/exec true` over HTTP: how fast",
        measured=milliseconds(seen.reference / _TIMES),
        reference=f"`bash -c true` by asyncio {milliseconds(seen.measured / _TIMES)}",
    )


def _spawned() -> float:
    return asyncio.run(_spawned_in_turn())


async def _spawned_in_turn() -> float:
    start = time.perf_counter()
    for _ in range(_TIMES):
        process = await asyncio.create_subprocess_exec(
            "/bin/bash",
            "-c",
            "true",
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=clean_environment(),
        )
        await process.communicate()
    return time.perf_counter() - start
