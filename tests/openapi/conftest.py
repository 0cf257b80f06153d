"""Fixtures: a service on loopback, and a way to install descriptions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.actions.service import Service, serving

Install = Callable[..., str]


@pytest.fixture
def service() -> Iterator[Service]:
    """A service that records requests."""
    with serving() as running:
        yield running


@pytest.fixture
def install(daemon: DaemonProcess) -> Install:
    """Install a description, and return what the reply says."""

    def run(document: dict[str, Any] | str, *options: str, name: str = "zoo", file: str = "api.json") -> str:
        text = document if isinstance(document, str) else json.dumps(document)
        (daemon.home / file).write_text(text, encoding="utf-8")
        reply = daemon.exec(" ".join((f"/install {file} --as {name}", *options)))
        assert reply.head["ok"], reply.content
        return str(reply.content)

    return run
