"""A listener in a thread, whose requests are handled by a small broker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.approval.listening.fake_broker import FakeBroker, Listening


@pytest.fixture
def broker() -> FakeBroker:
    return FakeBroker()


@pytest.fixture
def listening(tmp_path: Path, broker: FakeBroker) -> Iterator[Listening]:
    """A listener at `approval.sock` in a folder of its own."""
    with Listening(tmp_path / "stringd" / "approval.sock", broker) as running:
        yield running
