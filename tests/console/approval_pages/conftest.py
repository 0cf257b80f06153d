"""A daemon with a policy, whose operator has a browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stringd.testing.process import DaemonProcess
from tests.approval.daemons import SOCKET, write_policy
from tests.console.signing_in import SignedIn, signed_in

POLICY = """
rules:
  - {verdict: allow, kind: exec, program: [ls, echo, "true"], privileged: false}
  - {verdict: forbid, program: mkfs*}
  - {verdict: allow, program: git}
"""


@pytest.fixture(scope="module")
def ruled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon with rules of its own, an operator, and the socket for requests in its data directory."""
    folder = tmp_path_factory.mktemp("ruled")
    write_policy(folder / "data", POLICY)
    options = ("--approval-socket", str(folder / "data" / SOCKET), "--audit", "commands")
    daemon = DaemonProcess(folder, options, {}, port=0, data_dir=None, operator=True)
    daemon.start()
    daemon.register()
    yield daemon
    daemon.kill()


@pytest.fixture
def browser(ruled: DaemonProcess) -> SignedIn:
    """A signed-in browser without a screen."""
    return signed_in(ruled)
