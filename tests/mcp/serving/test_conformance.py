"""The conformance tests of the MCP project, as far as they need no tools made for them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess

# Later versions need a later Node.js than Debian has.
_PACKAGE = "@modelcontextprotocol/conformance@0.1.13"
_SCENARIOS = (
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "resources-subscribe",
    "resources-unsubscribe",
    "prompts-list",
    "completion-complete",
    "server-sse-multiple-streams",
    "server-sse-polling",
    "dns-rebinding-protection",
)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("conformance")
    done = subprocess.run(
        [npm, "install", "--silent", "--prefix", folder, _PACKAGE],
        capture_output=True,
        timeout=300,
        check=False,
    )
    if done.returncode:
        pytest.skip("the package registry does not have the conformance tests")
    return folder / "node_modules" / ".bin" / "conformance"


@pytest.mark.long
@pytest.mark.timeout(400)
@pytest.mark.parametrize("scenario", _SCENARIOS)
@pytest.mark.requirement("mcp.conformance")
def test_scenario(daemon: DaemonProcess, program: Path, scenario: str) -> None:
    """The scenario passes."""
    url = f"http://localhost:{daemon.port}/mcp"
    done = subprocess.run(
        [program, "server", "--url", url, "--scenario", scenario],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout
