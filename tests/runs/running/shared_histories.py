"""Daemons that share a folder with the histories of runs, as nodes share a database."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

from stringd.testing.process import DaemonProcess

_PLUGIN = """
import asyncio
from dataclasses import replace
from pathlib import Path
from starlette.responses import Response
from starlette.routing import Route
from stringd.plugin import HomeReleased, HomeRestored, hookimpl
from stringd.plugin.stores import LogElsewhere, local_stores
from stringd_runs.histories.history_file import HistoryFile
from stringd_runs.histories.history_logs import HistoryFiles

SHARED = Path(%r)
EVENTS = {"restored": HomeRestored, "released": HomeReleased}
taken, held = set(), set()

class OwnedFile(HistoryFile):
    keeps_all = True

    async def append(self, data, *, sync, is_over=False):
        if taken:
            raise LogElsewhere(0, "taken")
        while held:
            await asyncio.sleep(0.01)
        await super().append(data, sync=sync)

class SharedFiles(HistoryFiles):
    def log(self, owner, name):
        return OwnedFile(SHARED, name)

@hookimpl
def stringd_stores():
    return [replace(local_stores(print), logs=SharedFiles(SHARED))]

@hookimpl
def stringd_routes(runtime):
    async def publish(request):
        if request.path_params["what"] == "taken":
            taken.add(True)
        elif request.path_params["what"] == "held":
            held.add(True)
        elif request.path_params["what"] == "kept":
            held.clear()
        else:
            kind = EVENTS[request.path_params["what"]]
            runtime.events.publish(kind(user_id="default"))
        return Response()

    return [Route("/home/{what}", publish, methods=["POST"])]
"""


class SharingDaemons:
    """A daemon that has the user's topics, and another one that takes its place."""

    def __init__(self, start_daemon: Callable[..., DaemonProcess], folder: Path) -> None:
        shared = folder / "shared"
        shared.mkdir(mode=0o700)
        plugin = folder / "sharing.py"
        plugin.write_text(_PLUGIN % str(shared), encoding="utf-8")
        self.shared = shared
        self.first = start_daemon("--plugins", str(plugin), operator=True)
        self.second = start_daemon("--plugins", str(plugin))
        for daemon in (self.first, self.second):
            daemon.register("default", self.first.home)

    def tell(self, daemon: DaemonProcess, what: str) -> None:
        """Tell a daemon that the user's topics are restored or released there, or taken from it.

        In between `held` and `kept`, it waits for what it writes to be kept.
        """
        assert daemon.request("POST", f"/home/{what}").status == 200

    def fail_over(self) -> DaemonProcess:
        """Kill the first daemon, and have the second one take its place."""
        self.first.process.send_signal(signal.SIGKILL)
        self.first.process.wait()
        self.tell(self.second, "restored")
        return self.second

    def move(self) -> DaemonProcess:
        """Have the first daemon release the user's topics to the second one."""
        self.tell(self.first, "released")
        self.tell(self.second, "restored")
        return self.second

    def history(self, run_id: str) -> str:
        """Return the history of a run."""
        return (self.shared / "runs" / f"{run_id}.jsonl").read_text()
