"""A daemon with a policy, and clients of its approval socket."""

from __future__ import annotations

import json
import os
import socket
import textwrap
from base64 import b64decode
from pathlib import Path
from typing import Any

from stringd.testing.process import DaemonProcess
from tests.approval.listening.fake_broker import reply_of
from tests.approval.requests import line
from tests.questions.people import until

SOCKET = "approval.sock"

ALLOW_ALL = "rules: [{verdict: allow, kind: exec}]"


def write_policy(data_dir: Path, text: str) -> None:
    """Write the policy of a daemon, before or after its start."""
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = data_dir / "approval.yaml"
    path.touch(mode=0o600)
    path.write_text(textwrap.dedent(text))


def connect(daemon: DaemonProcess) -> socket.socket:
    """Connect to the socket of a daemon, which may just be starting."""
    client: socket.socket = until(lambda: _connected(daemon.data_dir), "nobody listens")
    return client


def _connected(data_dir: Path) -> socket.socket | None:
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(30)
    folder = os.open(data_dir, os.O_RDONLY)
    try:
        # The path itself may be longer than an address can be.
        client.connect(f"/proc/self/fd/{folder}/{SOCKET}")
    except (FileNotFoundError, ConnectionRefusedError):
        client.close()
        return None
    finally:
        os.close(folder)
    return client


def request(daemon: DaemonProcess, *stages: list[str], **fields: Any) -> dict[str, Any]:
    """Send a request, unprivileged by default, and return its reply."""
    with connect(daemon) as client:
        client.sendall(line(*stages, **{"privileged": False, **fields}))
        return reply_of(client)


def output(reply: dict[str, Any]) -> bytes:
    """Return what a pipeline has printed; fail if it did not run."""
    assert reply["status"] == "ok", reply
    return b64decode(reply["stdout"])


def entries(daemon: DaemonProcess) -> list[dict[str, Any]]:
    """Return the entries of the log."""
    return [json.loads(it) for it in (daemon.data_dir / "audit.jsonl").read_text().splitlines()]
