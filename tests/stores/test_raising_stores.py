"""Whatever a store of a plugin raises is answered as an unexpected error of the request."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from stringd.testing.process import DaemonProcess
from tests.extensions.raising import FAIL, RAISED

PLUGIN = (
    FAIL
    + """
from dataclasses import replace
from stringd.plugin.stores import local_stores

class Requests:
    def open(self, data_dir): pass
    def close(self): pass
    async def begin(self, session, request_id): fail(request_id)
    async def finish(self, session, request_id, outcome): pass
    async def abandon(self, session, request_id): pass
    async def forget(self, session): pass
    async def remove_user(self, user_id): pass

@hookimpl
def stringd_stores(runtime): return [replace(local_stores(print), requests=Requests())]
"""
)


def test_whatever_a_store_raises_is_answered(
    start_daemon: Callable[..., DaemonProcess], tmp_path: Path
) -> None:
    (tmp_path / "raising.py").write_text(PLUGIN, encoding="utf-8")
    daemon = start_daemon("--plugins", str(tmp_path / "raising.py"))
    daemon.register("default", daemon.home)
    for raised in RAISED:
        body = {"cmd": "/info", "topic": "file:main", "request_id": raised}
        answer = daemon.request("POST", "/exec", body, {"X-User-Id": "default"})
        assert (answer.status, answer.json()["error"]) == (500, "INTERNAL_ERROR")
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert raised in daemon.stderr()
    assert daemon.exec("/info", "file:main", request_id="other").head["ok"]
    assert daemon.stop() == 0
