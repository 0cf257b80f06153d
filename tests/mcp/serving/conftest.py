"""A daemon with the plugin `asker`, shared by the tests of a module."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess

_ASKER = Path(__file__).parents[2] / "questions" / "asker.py"
_STRATEGY = """\
name: Review
agents:
  critic:
    system_prompt: Criticise.
flow:
  type: simple
  agent: critic
"""


@pytest.fixture(scope="module")
def asking_daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    env = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    folder = tmp_path_factory.mktemp("asking")
    daemon = DaemonProcess(folder, ("--plugins", str(_ASKER)), env, port=0, data_dir=None, operator=True)
    daemon.start()
    daemon.register("default", daemon.home)
    strategies = daemon.home / "strategies"
    strategies.mkdir(parents=True)
    (strategies / "review.yaml").write_text(_STRATEGY)
    yield daemon
    daemon.stop()
