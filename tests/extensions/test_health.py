"""Third-party fields of `/health` and `/status`: public or not, and contained when they fail."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.programs import run_stringd

Start = Callable[..., DaemonProcess]
HEALTH_FIELDS = {"ok", "users", "sessions", "status", "uptime", "activeRuns", "connectedClients"}
GAUGES = """
from stringd.plugin import HealthField, hookimpl

def stop():
    raise SystemExit(7)

@hookimpl
def stringd_health(runtime):
    return [
        HealthField(name="port-seen", read=lambda: runtime.port),
        HealthField(name="answer", read=lambda: [42], is_public=True),
        HealthField(name="stopping", read=stop, is_public=True),
        HealthField(name="endless", read=lambda: float("inf")),
        HealthField(name="object", read=object),
    ]
"""


@pytest.fixture
def gauged(start_daemon: Start, tmp_path: Path) -> DaemonProcess:
    path = tmp_path / "gauges.py"
    path.write_text(GAUGES, encoding="utf-8")
    return start_daemon("--plugins", str(path))


def test_public_fields_are_in_health_and_all_in_status(gauged: DaemonProcess) -> None:
    health = gauged.request("GET", "/health").json()
    assert health.keys() == HEALTH_FIELDS | {"answer", "stopping"}
    assert (health["answer"], health["stopping"]) == ([42], None)
    status = gauged.request("GET", "/status").json()
    assert {"port-seen": gauged.port, "answer": [42]}.items() <= status.items()
    assert (status["stopping"], status["endless"], status["object"]) == (None, None, None)
    for name in ("stopping", "endless", "object"):
        assert f"health field {name} failed" in gauged.stderr()


def test_status_on_the_command_line_shows_them(gauged: DaemonProcess, tmp_path: Path) -> None:
    shown = run_stringd("--port", str(gauged.port), "status", folder=tmp_path).stdout
    assert "answer: [42]\n" in shown
    assert f"port-seen: {gauged.port}\n" in shown


def test_running_shells_are_counted(daemon: DaemonProcess) -> None:
    before = daemon.request("GET", "/status").json()["shells"]
    daemon.exec("true", "bash:counted")
    assert daemon.request("GET", "/status").json()["shells"] == before + 1
    daemon.exec("//close", "bash:counted")
    assert daemon.request("GET", "/status").json()["shells"] == before


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ("name='users', read=int", "health field users is one of stringd's own"),
        ("name='shells', read=int", "health field shells of gauge"),
        (
            "name='a b', read=int",
            "health field needs a name without blanks that begins with a lower-case letter",
        ),
        (
            "name='Ab', read=int",
            "health field needs a name without blanks that begins with a lower-case letter",
        ),
        ("name='late', read=late", "health field late needs a synchronous function"),
    ],
)
def test_invalid_field_skips_the_plugin(start_daemon: Start, tmp_path: Path, field: str, reason: str) -> None:
    (tmp_path / "gauge.py").write_text(
        "from stringd.plugin import HealthField, hookimpl\n"
        "async def late(): ...\n"
        "@hookimpl\n"
        f"def stringd_health(): return [HealthField({field})]\n",
        encoding="utf-8",
    )
    running = start_daemon("--plugins-dir", str(tmp_path))
    notices = json.dumps(running.request("GET", "/status").json()["notices"])
    assert reason in notices
    assert running.request("GET", "/health").json().keys() == HEALTH_FIELDS
