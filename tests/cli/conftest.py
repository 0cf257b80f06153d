"""Fixtures for the `string` program: a fake daemon with recorded responses in its environment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.client.fake import FakeDaemon

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeDaemon]:
    with FakeDaemon() as server:
        monkeypatch.setenv("STRINGD_PORT", str(server.port))
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("TERM", "dumb")
        monkeypatch.delenv("STRINGD_USER", raising=False)
        monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
        yield server
