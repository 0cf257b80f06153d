"""Benchmarks of output events: a flood of output with a watcher, compared with the same flood without."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bench.bash import Shell
from bench.rooms import measurement
from bench.servers import daemon
from bench.table import Row, at_most
from bench.timing import compare

if TYPE_CHECKING:
    from collections.abc import Iterator

_FLOODS = {
    "file:main": "/exec head -c 100M /dev/zero | tr '\\0' x",
    "bash:main": "head -c 100M /dev/zero | tr '\\0' x",
    "bash:lines": "yes a line of the flood | head -c 30M",
}
_WATCHING = """
from stringd.plugin import Observer, hookimpl

@hookimpl
def stringd_observers():
    return [Observer(name="reading", on_event=repr, kinds=frozenset({"output"}))]
"""


@measurement
def floods() -> Iterator[Row]:
    """A flood of output of `/exec` and bash topics, with and without an observer of output."""
    with ExitStack() as stack:
        plugin = Path(stack.enter_context(tempfile.TemporaryDirectory()), "watching.py")
        plugin.write_text(_WATCHING, encoding="utf-8")
        watched, unwatched = (
            Shell(stack.enter_context(daemon(*options))) for options in (("--plugins", str(plugin)), ())
        )
        stack.callback(watched.close)
        stack.callback(unwatched.close)
        for topic, flood in _FLOODS.items():
            seen = compare(partial(watched.seconds, flood, topic), partial(unwatched.seconds, flood, topic))
            yield at_most(
                1.2,
                seen.ratio,
                what=f"`{flood}` in `{topic}`, watched",
                measured=f"{seen.measured:.2f} s",
                reference=f"unwatched {seen.reference:.2f} s",
            )
