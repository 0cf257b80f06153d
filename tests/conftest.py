"""Fixtures for all tests."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stringd.testing.distributions import write_distribution
from stringd.testing.plugin import LONGEST_HOLD
from stringd.testing.process import DaemonProcess
from tests.lender import Lender

LONG = "long"
PROBE = Path(__file__).parent / "distributions" / "probe.py"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--long`, with which the tests that take long run too."""
    parser.addoption("--long", action="store_true", help="run the tests that take long, too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the long tests unless they are asked for."""
    if config.getoption("--long"):
        return
    left_out = [it for it in items if it.get_closest_marker(LONG)]
    items[:] = [it for it in items if not it.get_closest_marker(LONG)]
    config.hook.pytest_deselected(items=left_out)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return the number of workers: most tests wait more than they compute, the long ones compute."""
    cores = os.cpu_count() or 1
    return cores if config.getoption("--long") else 2 * cores


@pytest.fixture(scope="session")
def lender(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lender]:
    """Lends one daemon to the tests of this process, one test after the other."""
    lender = Lender(tmp_path_factory.mktemp("lent"))
    yield lender
    lender.close()


@pytest.fixture
def daemon(lender: Lender, tmp_path: Path) -> Iterator[DaemonProcess]:
    """A running daemon without options whose only user is `default`, with a new home.

    Other tests have used it before: one that looks into its data directory asks for `own_daemon`.
    """
    running = lender.lend(tmp_path / "daemon")
    yield running
    lender.take_back(running)
    assert running.longest_hold() <= LONGEST_HOLD, "the daemon's event loop was held; its log says by what"


@pytest.fixture
def own_daemon(start_daemon: Callable[..., DaemonProcess]) -> DaemonProcess:
    """A running daemon of the test's own that knows the user `default`."""
    running = start_daemon()
    running.register("default", running.home)
    return running


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
