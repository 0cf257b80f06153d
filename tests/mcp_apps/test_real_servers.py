"""Servers of npm and PyPI, installed once into build/ and never committed, do what they are for."""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.actions.service import serving
from tests.mcp_apps.serving import call, refused

FOLDER = Path(__file__).parents[2] / "build" / "mcp-servers"
NODE, PYTHON = FOLDER / "node", FOLDER / f"python{sys.version_info.minor}"
STORE = "file:main"
_OF_NPM = ("server-filesystem", "server-everything", "server-memory")
_OF_PYPI = ("mcp-server-git", "mcp-server-time", "mcp-server-fetch")
pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(400),
    pytest.mark.requirement("mcp.apps.real"),
]


def _run(folder: Path, *command: str | Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        shutil.rmtree(folder, ignore_errors=True)
        pytest.skip(f"the servers cannot be installed: {done.stderr.strip()[-200:]}")


@pytest.fixture(scope="session")
def of_npm() -> Path:
    """Return the folder with the programs of servers from npm."""
    return _from_npm(NODE, *(f"@modelcontextprotocol/{it}" for it in _OF_NPM))


def _from_npm(folder: Path, *packages: str) -> Path:
    programs = folder / "node_modules" / ".bin"
    if not programs.exists():
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip("npm is not installed")
        _run(folder, npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, *packages)
    return programs


@pytest.fixture(scope="session")
def of_pypi() -> Path:
    """Return the folder with the programs of servers from PyPI."""
    programs = PYTHON / "bin"
    if not (programs / _OF_PYPI[-1]).exists():
        venv.create(PYTHON, with_pip=True, clear=True)
        _run(PYTHON, programs / "python", "-m", "pip", "install", "--quiet", *_OF_PYPI)
    return programs


def _installed(daemon: DaemonProcess, command: str) -> str:
    shown = call(daemon, f"/install mcp {command}", STORE)
    assert "offers: " in shown
    return shown


def test_filesystem(daemon: DaemonProcess, of_npm: Path) -> None:
    docs = daemon.home / "docs"
    docs.mkdir()
    (docs / "a.txt").write_text("one\n---\nre: two\n", encoding="utf-8")
    _installed(daemon, f"-- {of_npm}/mcp-server-filesystem ~/docs")
    topic = "app:filesystem"
    assert "[FILE] a.txt" in call(daemon, f"/act.list_directory {docs}", topic)
    shown = call(daemon, f"/act.read_text_file {docs}/a.txt", topic)
    assert "  ---\n  re: two" in shown
    edits = "--edits[0].oldText one --edits[0].newText three"
    call(daemon, f"/act.edit_file {docs}/a.txt {edits}", topic)
    assert (docs / "a.txt").read_text(encoding="utf-8").startswith("three\n")
    assert "read_text_file: " in refused(daemon, "/act.read_text_file /etc/passwd", "TOOL_FAILED", topic)


def test_everything(daemon: DaemonProcess, of_npm: Path) -> None:
    _installed(daemon, f"-- {of_npm}/mcp-server-everything")
    topic = "app:everything"
    assert "/act.get-sum --a <number> --b <number>" in call(daemon, "/act", topic)
    assert call(daemon, "/act.get-sum --a 2 --b 3", topic) == "The sum of 2 and 3 is 5."
    assert "image/png" in call(daemon, "/act.get-tiny-image", topic)
    assert "Paris" in call(daemon, "/act.prompt.args-prompt --city Paris", topic)
    assert "temperature" in call(daemon, "/act.get-structured-content 'New York'", topic)
    assert "completed" in call(daemon, "/act.trigger-long-running-operation --duration 1 --steps 2", topic)


def test_memory(daemon: DaemonProcess, of_npm: Path) -> None:
    memory = daemon.home / "memory.jsonl"
    _installed(daemon, f"--env MEMORY_FILE_PATH={memory} -- {of_npm}/mcp-server-memory")
    topic = "app:memory"
    entity = "--entities[0].name Ann --entities[0].entityType person --entities[0].observations[0] tall"
    call(daemon, f"/act.create_entities {entity}", topic)
    assert "- name: Ann" in call(daemon, "/act.read_graph", topic)
    assert memory.exists()


def test_git(daemon: DaemonProcess, of_pypi: Path) -> None:
    repository = daemon.home / "repo"
    subprocess.run(["git", "init", "--quiet", repository], check=True)
    identity = ("-c", "user.name=Ann", "-c", "user.email=ann@h.example")
    commit = ("commit", "--quiet", "--allow-empty", "--message", "first of all")
    subprocess.run(["git", "-C", repository, *identity, *commit], check=True)
    _installed(daemon, f"-- {of_pypi}/mcp-server-git")
    assert "first of all" in call(daemon, f"/act.git_log {repository}", "app:git")


def test_time(daemon: DaemonProcess, of_pypi: Path) -> None:
    _installed(daemon, f"-- {of_pypi}/mcp-server-time")
    shown = call(daemon, "/act.get_current_time --timezone Europe/Berlin", "app:time")
    assert "- timezone: Europe/Berlin" in shown
    refused(daemon, "/act.get_current_time --timezone Nowhere", "TOOL_FAILED", "app:time")


def test_fetch(daemon: DaemonProcess, of_pypi: Path) -> None:
    _installed(daemon, f"-- {of_pypi}/mcp-server-fetch")
    shown = refused(daemon, "/act.fetch --url http://127.0.0.1:1/", "TOOL_FAILED", "app:fetch")
    assert "127.0.0.1" in shown
    refused(daemon, "/act.fetch --url http://h.example --max_length 0", "INVALID_PARAMS", "app:fetch")


def test_playwright(daemon: DaemonProcess) -> None:
    browser = shutil.which("chromium")
    if browser is None:
        pytest.skip("there is no Chromium; on Debian: apt install chromium")
    programs = _from_npm(NODE.with_name("playwright"), "@playwright/mcp")
    options = f"--headless --isolated --no-sandbox --executable-path {browser}"
    _installed(daemon, f"--as playwright -- {programs}/playwright-mcp {options}")
    topic = "app:playwright"
    with serving() as service:
        service.answer("/", "<title>Shop</title><button>Buy</button>", media_type="text/html")
        assert "Page Title: Shop" in call(daemon, f"/act.browser_navigate {service.url}/", topic)
        assert 'button "Buy"' in call(daemon, "/act.browser_snapshot", topic)
        assert "image/png" in call(daemon, "/act.browser_take_screenshot --scale css", topic)
