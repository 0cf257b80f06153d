"""Install the raw server as an app, and call its tools."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

from stringd.testing.process import DaemonProcess, Events

RAW = Path(__file__).parent / "raw_server.py"
TOPIC = "app:raw"


def raw_command(**options: Any) -> str:
    """Return the command line of the raw server."""
    return shlex.join([sys.executable, str(RAW), *([json.dumps(options)] if options else [])])


def install(daemon: DaemonProcess, name: str = "raw", /, **options: Any) -> Events:
    """Install the raw server."""
    return daemon.exec(f"/install mcp --as {name} -- {raw_command(**options)}", "file:main")


def installed(daemon: DaemonProcess, **options: Any) -> DaemonProcess:
    """Install the raw server, which must succeed."""
    reply = install(daemon, **options)
    assert reply.head["ok"], reply.content
    return daemon


def call(daemon: DaemonProcess, command: str, topic: str = TOPIC) -> str:
    """Run a command that must succeed, and return what it shows."""
    reply = daemon.exec(command, topic)
    assert reply.head["ok"], reply.content
    return reply.content.partition("\n")[2]


def refused(daemon: DaemonProcess, command: str, code: str, topic: str = TOPIC) -> str:
    """Run a command that must fail with this code, and return the message."""
    reply = daemon.exec(command, topic)
    text = reply.content.partition("\n")[2]
    assert text.startswith(f"ERROR({code}): "), text
    return text.removeprefix(f"ERROR({code}): ")


def pids(daemon: DaemonProcess) -> list[int]:
    """Return the processes that were started as the raw server, by its own account."""
    path = daemon.home / "starts"
    return [int(it) for it in path.read_text(encoding="utf-8").split()] if path.exists() else []
