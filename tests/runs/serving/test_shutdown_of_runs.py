"""The end of the daemon, and its pings, as clients of runs see them."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from websockets.frames import Opcode

from stringd.testing.process import DaemonProcess
from tests.protocol.waits import eventually
from tests.runs.clients import PATIENCE, run_client
from tests.runs.serving.echo_strategies import write_echo

Start = Callable[..., DaemonProcess]
OFTEN = """
from stringd.cli.main import main
from stringd.server import http_server
http_server.PING_SECONDS = 0.1
main()
"""


@pytest.mark.requirement("runs.socket.shutdown")
def test_runs_end_before_their_connections(start_daemon: Start) -> None:
    daemon = start_daemon()
    daemon.register("default", daemon.home)
    path = write_echo(daemon, "a b", chunks=2, chunkDelayMs=600_000)
    with run_client(daemon) as starter, run_client(daemon) as reader:
        running, prepared = starter.prepare(path), starter.prepare(path)
        for run_id in (running, prepared):
            reader.send("subscribe", runId=run_id)
        assert reader.is_silent()
        starter.send("start_run", runId=running)
        reader.until("agent_streaming")
        assert daemon.stop() == 0
        for client in (starter, reader):
            errors = [client.until("strategy_error")[-1] for _ in range(2)]
            assert {it["runId"] for it in errors} == {running, prepared}
            assert {it["error"]["code"] for it in errors} == {"CANCELLED"}
            assert client.close_code() == 1001
    assert "Traceback" not in daemon.stderr()


@pytest.mark.requirement("runs.socket.pings")
def test_clients_are_pinged(start_daemon: Start) -> None:
    daemon = start_daemon(program=(sys.executable, "-c", OFTEN))
    pings = []
    with run_client(daemon) as client:
        receive = client.socket.protocol.recv_frame

        def noting(frame: object) -> None:
            pings.append(getattr(frame, "opcode", None) is Opcode.PING)
            receive(frame)  # type: ignore[arg-type]

        client.socket.protocol.recv_frame = noting  # type: ignore[method-assign]
        eventually(lambda: sum(pings) >= 3, within=PATIENCE)
        assert client.ask("ping")["type"] == "pong"
