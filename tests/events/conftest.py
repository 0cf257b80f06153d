"""Fixtures of the tests of events."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.events.output import StartDaemon, Watched, start_watched


@pytest.fixture
def watched(start_daemon: StartDaemon, tmp_path: Path) -> Watched:
    """A running daemon whose output is seen."""
    return start_watched(start_daemon, tmp_path)
