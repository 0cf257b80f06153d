"""Fixtures for all tests."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stringd.testing.distributions import write_distribution
from stringd.testing.plugin import LONGEST_HOLD
from stringd.testing.process import DaemonProcess
from tests.daemon_pool import DaemonPool
from tests.import_order import begin_elsewhere, in_common_order

LONG = "long"
PROBE = Path(__file__).parent / "distributions" / "probe.py"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--long`, which also runs the slow tests."""
    parser.addoption("--long", action="store_true", help="also run the slow tests")


def pytest_configure(config: pytest.Config) -> None:
    """Let programs react to Ctrl-C, which shells have their background jobs ignore."""
    begin_elsewhere(config)
    for number in (signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number is signal.SIGINT else signal.SIG_DFL)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the slow tests unless `--long` is given."""
    in_common_order(items)
    if config.getoption("--long"):
        return
    left_out = [it for it in items if it.get_closest_marker(LONG)]
    items[:] = [it for it in items if not it.get_closest_marker(LONG)]
    config.hook.pytest_deselected(items=left_out)


def pytest_collection_finish() -> None:
    """Leave the tests, which are many, out of later collections of garbage."""
    gc.freeze()


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return the number of workers: most tests mainly wait, the slow ones compute."""
    cores = os.cpu_count() or 1
    return cores if config.getoption("--long") else 2 * cores


@pytest.fixture(scope="session")
def daemon_pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonPool]:
    """A daemon that the tests of this process share, one at a time."""
    pool = DaemonPool(tmp_path_factory.mktemp("shared"))
    yield pool
    pool.close()


@pytest.fixture
def daemon(daemon_pool: DaemonPool, tmp_path: Path) -> Iterator[DaemonProcess]:
    """A running daemon without options whose only user is `default`, with a new home.

    Tests share it: a test that inspects its data directory needs `own_daemon`.
    """
    running = daemon_pool.acquire(tmp_path / "daemon")
    yield running
    daemon_pool.release(running)
    assert running.longest_hold() <= LONGEST_HOLD, "the daemon's event loop was blocked; its log says by what"


@pytest.fixture
def own_daemon(start_daemon: Callable[..., DaemonProcess]) -> DaemonProcess:
    """A separate running daemon with the user `default`."""
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
    """Print the findings that tests recorded, whether they passed or not."""
    for report in (it for reports in terminalreporter.stats.values() for it in reports):
        for name, text in getattr(report, "user_properties", ()):
            if name == "told" and report.when == "call":
                terminalreporter.write_line(str(text))
