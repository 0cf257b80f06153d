"""Browsing from the command line: tabs, links, history and the list of open pages."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.web.server import Site

Run = Callable[..., "subprocess.CompletedProcess[str]"]
HOME = '<title>Home</title><main><h1>Home</h1><p>See the <a href="/guide">guide</a>.</p></main>'
GUIDE = "<title>Guide</title><main><h1>Guide</h1><p>How it is done.</p></main>"


@pytest.fixture
def run(daemon: DaemonProcess, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `string` or `stringd` against the daemon."""
    monkeypatch.setenv("STRINGD_PORT", str(daemon.port))
    monkeypatch.delenv("STRINGD_USER", raising=False)

    def program(name: str, *words: str) -> subprocess.CompletedProcess[str]:
        command = [str(Path(sys.executable).parent / name), *words]
        return subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False
        )

    return program


@pytest.fixture
def home(site: Site) -> str:
    """The URL of a page that links to another."""
    site.page("/guide", GUIDE)
    return site.page("/", HOME)


@pytest.mark.requirement("web.tabs")
def test_page_is_opened_in_a_tab(run: Run, home: str) -> None:
    first = run("string", home)
    assert first.stdout == f"Opened {home}\n---\n# Home\n\nSee the [guide][@guide].\n"
    assert first.stderr == "string: opened in web:1\n"
    assert run("string", home).stderr == "string: opened in web:2\n"
    assert run("string", "--tab", "docs", f"{home}guide").stderr == "string: opened in web:docs\n"
    assert run("string", "web:1", "/open @guide").stdout.endswith("# Guide\n\nHow it is done.\n")
    assert run("string", "web:1", "/back").stdout.startswith(f"Back to {home}\n---\n# Home\n")
    topics = f"web:1  {home}\nweb:2  {home}\nweb:docs  {home}guide\n"
    assert run("string", "file:main", "/topics web").stdout == f"Topics\n---\n{topics}"


@pytest.mark.requirement("web.tabs")
def test_closed_tab_frees_its_number(run: Run, home: str) -> None:
    for number in (1, 2):
        assert run("string", home).stderr == f"string: opened in web:{number}\n"
    assert run("stringd", "sessions", "--close", "web:1").returncode == 0
    assert run("string", "web:2", "/topics web").stdout == f"Topics\n---\nweb:2  {home}\n"
    assert run("string", home).stderr == "string: opened in web:1\n"


@pytest.mark.requirement("web.tabs")
def test_failed_open_leaves_no_tab(run: Run, home: str) -> None:
    failed = run("string", f"{home}nowhere")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr == f"ERROR(NOT_FOUND): Not found: {home}nowhere\n"
    assert run("string", "file:main", "/topics web").stdout == "Topics\n---\n(none)\n"


@pytest.mark.requirement("web.tabs")
def test_concurrent_opens_get_separate_tabs(run: Run, home: str) -> None:
    run("string", "file:main", "/info")
    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(lambda _: run("string", "--json", home), range(4)))
    assert sorted(json.loads(it.stdout)["topic"] for it in runs) == ["web:1", "web:2", "web:3", "web:4"]


@pytest.mark.requirement("web.tabs")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["http://example.com/", "/info"], "a URL takes no command"),
        (["http://example.com/", "-"], "a URL takes no command"),
        (["--tab", "docs", "web:1"], "--tab goes with a URL"),
        (["--tab", "docs", "web:1", "/info"], "--tab goes with a URL"),
    ],
)
def test_contradictory_arguments_are_refused(run: Run, words: list[str], message: str) -> None:
    refused = run("string", *words)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert message in refused.stderr


@pytest.mark.requirement("web.tabs")
def test_invalid_tab_name_is_refused(run: Run, home: str) -> None:
    refused = run("string", "--tab", "no name", home)
    assert (refused.returncode, refused.stderr) == (1, "string: Invalid topic: web:no name\n")


@pytest.mark.long
@pytest.mark.requirement("web.tabs.fork")
def test_link_is_opened_in_a_forked_tab(run: Run, home: str, daemon: DaemonProcess) -> None:
    run("string", home)
    run("string", "web:1", '/set {town} = "Oslo"')
    assert run("string", "web:1", "/fork tour").stdout == "Forked: web:tour\n"
    assert run("string", "web:tour", "/open @guide").stdout.startswith(f"Opened {home}guide\n")
    daemon.restart()
    assert run("string", "web:tour", "/set").stdout == 'Variables\n---\n{town} = "Oslo"\n'
    assert run("string", "web:tour", "/back").stdout.startswith(f"Back to {home}\n")
    run("string", "web:tour", '/set {town} = "Bergen"')
    assert run("string", "web:1", "/set").stdout == 'Variables\n---\n{town} = "Oslo"\n'
    topics = f"web:1  {home}\nweb:tour  {home}\n"
    assert run("string", "web:1", "/topics web").stdout == f"Topics\n---\n{topics}"


@pytest.mark.requirement("web.tabs.fork")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("1", "ERROR(CONFLICT): The topic already exists: web:1"),
        ("web:1", "ERROR(CONFLICT): The topic already exists: web:1"),
        ("file:x", "ERROR(INVALID_TARGET): A web topic can only be forked to its own type, not file:x."),
        ("no name", "ERROR(INVALID_TARGET): Invalid topic: web:no name"),
        ("", "ERROR(INVALID_PAYLOAD): No name for the new topic.\nUsage: /fork name"),
    ],
)
def test_fork_needs_a_new_tab(run: Run, home: str, name: str, message: str) -> None:
    run("string", home)
    refused = run("string", "web:1", f"/fork {name}")
    assert (refused.returncode, refused.stderr) == (1, f"{message}\n")
    assert run("string", "web:1", "/topics").stdout == f"Topics\n---\nweb:1  {home}\n"
