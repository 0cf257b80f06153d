"""What the first streamed answer of a daemon imports does not hold up its event loop."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from stringd.testing.process import DaemonProcess

PLUGIN = """
import asyncio, sys, threading
from stringd.plugin import Command, Reply, hookimpl

imported = []

class Recorder:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("anyio", "sse_starlette"):
            imported.append((name, threading.current_thread() is threading.main_thread()))

async def slow(invocation):
    sys.meta_path.insert(0, Recorder())
    await asyncio.sleep(0.5)
    return Reply.confirmation("Done")

async def imports(invocation):
    return Reply.page("Imports", "\\n".join(f"{name} {on_loop}" for name, on_loop in imported))

@hookimpl
def stringd_commands():
    return [Command(name=it.__name__, summary="", usage="", run=it) for it in (slow, imports)]
"""


def test_they_are_imported_in_a_thread(start_daemon: Callable[..., DaemonProcess], tmp_path: Path) -> None:
    plugin = tmp_path / "recorder.py"
    plugin.write_text(PLUGIN, encoding="utf-8")
    # A forked daemon has imported everything.
    daemon = start_daemon("--plugins", str(plugin), program=(sys.executable, "-m", "stringd"))
    daemon.register("default", daemon.home)
    assert daemon.exec("/slow").content == "re: /slow\nDone"
    recorded = daemon.exec("/imports").content.splitlines()[3:]
    assert {"sse_starlette False", "anyio._backends._asyncio False"} <= set(recorded)
    assert [it for it in recorded if it.endswith(" True")] == []
