"""Servers of all revisions of the protocol, real ones, many of them, and all fronts of the daemon."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.mcp_apps.serving import call, raw_command
from tests.questions.people import People, until
from tests.runs.clients import run_client
from tests.runs.tools.tool_runs import command, results, told, write_strategy

STORE = "file:main"
SDK_SERVER = Path(__file__).parent / "sdk_server.py"


@pytest.mark.requirement("mcp.apps.revisions")
@pytest.mark.parametrize(
    "revision", ["2025-03-26", pytest.param("2025-06-18", marks=pytest.mark.long), "2025-11-25"]
)
def test_servers_with_a_handshake(raw: DaemonProcess, revision: str) -> None:
    options = {"revision": revision, "batch": revision == "2025-03-26"}
    shown = call(raw, f"/install mcp --as old -- {raw_command(**options)}", STORE)
    assert f"(protocol {revision})" in shown
    assert call(raw, "/act.echo hello", "app:old") == "hello"
    call(raw, "/uninstall old", STORE)


@pytest.mark.long
@pytest.mark.requirement("mcp.apps.revisions", "mcp.apps.asks.elicitation")
def test_a_server_without_a_handshake(raw: DaemonProcess) -> None:
    command = shlex.join([sys.executable, str(SDK_SERVER)])
    shown = call(raw, f"/install mcp --as modern -- {command}", STORE)
    assert "(protocol 2026-07-28)" in shown
    topic = "app:modern"
    assert call(raw, "/act.add --a 1 --b 2", topic) == "- 3"
    assert call(raw, "/open notes://one", topic).endswith("note one")
    call(raw, "/open app:modern", topic)
    people = People(raw)
    waiting = people.send("/act.greet", topic)
    people.answer(until(people.listed)[0], "Ann")
    second = until(lambda: [it for it in people.listed() if "times" in it["title"]])[0]
    people.answer(second, "2")
    content = waiting.result(20).content
    assert "state-1: " in content
    assert "accept" in content
    assert "Ann" in content
    call(raw, "/uninstall modern", STORE)


@pytest.mark.requirement("mcp.apps.life.lazy")
def test_the_sdk_is_imported_at_the_first_use() -> None:
    program = (
        "import sys; from stringd.config import Config; from stringd.server.app import make_runtime;"
        "make_runtime(Config()); print(sorted({it.partition('.')[0] for it in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = json.loads(done.stdout.replace("'", '"'))
    assert "stringd_mcp" in loaded
    assert not {"mcp", "mcp_types", "httpx2", "jsonschema", "pydantic"} & set(loaded)


@pytest.mark.requirement("mcp.apps.fronts")
def test_string_and_chanflow_use_the_same_app(raw: DaemonProcess) -> None:
    program = Path(sys.executable).parent / "string"
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(raw.home), "STRINGD_PORT": str(raw.port)}
    command = [str(program), "--user", "default", "app:raw", "/act.echo 'by hand'"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == "by hand\n"
    block = '<𝒞=string:app:raw>\n/act.echo "by flow"\n</𝒞>'
    reply = raw.request("POST", "/chanflow", block, {"X-User-Id": "default"})
    assert "by flow" in reply.text


@pytest.mark.requirement("mcp.apps.fronts")
def test_an_agent_of_a_run_uses_the_same_app(raw: DaemonProcess) -> None:
    calls = [command("/act.echo 'by an agent'", "app_raw")], [command("/act.find a", "app_raw")]
    path = write_strategy(raw.home, *calls, tools=("topic:app:raw",))
    with run_client(raw) as client:
        events = client.run(path, "go")
        assert events[-1]["type"] == "strategy_completed", events[-1]
        called, checked = results(events)
        assert called["output"].endswith("by an agent")
        assert checked["status"] == "error"
        assert "'a' is too short" in checked["error"]
        assert told(client, events[0]["runId"])[0] == "by an agent"


def _packages(raw: DaemonProcess, count: int) -> None:
    source = raw.home / "packages" / "raw"
    for number in range(count):
        copy = raw.home / "packages" / f"copy{number}"
        copy.mkdir()
        for path in source.iterdir():
            if path.is_file():
                (copy / path.name).write_bytes(path.read_bytes())


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.requirement("mcp.apps.life.many")
def test_a_hundred_servers_change_nothing_about_the_start(start_daemon: Callable[..., DaemonProcess]) -> None:
    daemon = start_daemon()
    daemon.register("default", daemon.home)
    call(daemon, f"/install mcp --as raw -- {raw_command(count=80)}", STORE)

    def start_ticks() -> int:
        """Return the processor time of a new start, in hundredths of a second."""
        daemon.restart()
        pid = daemon.request("GET", "/status").json()["pid"]
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    few = min(start_ticks() for _ in range(3))
    _packages(daemon, 100)
    many = min(start_ticks() for _ in range(3))
    assert daemon.request("GET", "/status").json()["mcpServers"] == 0
    assert many <= few * 1.2 + 3, (few, many)
    shown = call(daemon, "/act.echo hello", "app:copy99")
    assert "hello" in shown
