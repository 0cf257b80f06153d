"""Urgent commands, which do not wait for their turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.protocol.streams import body_of, replied
from tests.protocol.waits import recorded, running, session
from tests.protocol.wire import execute

if TYPE_CHECKING:
    from stringd.testing.process import DaemonProcess
    from tests.protocol.conftest import Connect


@pytest.mark.requirement("exec.urgent")
def test_urgent_command_runs_beside_the_running_one(probed: DaemonProcess, connect: Connect) -> None:
    client = connect(probed)
    client.send(execute("/nap 2"))
    running(probed)
    assert probed.exec("/peek 0").content == "re: /peek 0\nNapped"
    assert (session(probed) or {})["executing"]
    assert replied(client.receive().body)[1] == "re: /nap 2\nNapped"


@pytest.mark.requirement("exec.urgent")
def test_urgent_command_ends_with_its_session(probed: DaemonProcess, connect: Connect) -> None:
    client = connect(probed)
    client.send(execute("/peek 30"))
    probed.exec("/record since")
    assert recorded(probed) == ["since"]
    probed.request("DELETE", "/sessions/default/file:main")
    head, content = replied(client.receive().body)
    assert (head["ok"], head["code"]) == (False, "SESSION_CLOSED")
    assert body_of(content).startswith("ERROR(SESSION_CLOSED): ")
