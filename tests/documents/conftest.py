"""Fixtures for the tests of documents."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documents.ground import Ground


@pytest.fixture(scope="module")
def ground() -> Iterator[Ground]:
    with tempfile.TemporaryDirectory() as folder:
        yield Ground(Path(os.path.realpath(folder)))
