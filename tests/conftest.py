"""Fixtures that all tests share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.distributions import write_distribution
from stringd.testing.process import DaemonProcess

PROBE = Path(__file__).parent / "distributions" / "probe.py"


@pytest.fixture
def probe(tmp_path: Path) -> Path:
    """A folder with the probe distribution, for `pythonpath=[probe]`."""
    return write_distribution(
        tmp_path / "probe",
        "stringd-probe",
        "1.0",
        {"stringd.plugins": {"probe": "stringd_probe"}},
        {"stringd_probe": PROBE.read_text(encoding="utf-8")},
    )


@pytest.fixture
def probed(start_daemon: Callable[..., DaemonProcess], probe: Path) -> DaemonProcess:
    """A running daemon with the probe plugin and the user `default`."""
    running = start_daemon(pythonpath=[probe])
    running.register("default", running.home)
    return running


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests have to tell about what they found, whether they passed or not."""
    for report in (it for reports in terminalreporter.stats.values() for it in reports):
        for name, text in getattr(report, "user_properties", ()):
            if name == "told" and report.when == "call":
                terminalreporter.write_line(str(text))
