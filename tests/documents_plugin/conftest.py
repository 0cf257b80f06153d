"""Fixtures for the tests of reading documents of other programs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stringd.testing.process import DaemonProcess


@pytest.fixture
def read(daemon: DaemonProcess) -> Callable[..., str]:
    """A function that writes a file and returns the answer to `/open` of it, without its label."""

    def opened(name: str, body: bytes, options: str = "") -> str:
        (daemon.home / name).write_bytes(body)
        return daemon.exec(f"/open {name} {options}".rstrip()).content.partition("\n")[2]

    return opened


@pytest.fixture
def shown(read: Callable[..., str]) -> Callable[..., str]:
    """A function that returns what such a document shows."""

    def content(name: str, body: bytes, options: str = "") -> str:
        answer = read(name, body, options)
        assert answer.startswith(f"Opened {name}\n---\n"), answer
        return answer.partition("\n---\n")[2]

    return content
