"""The daemon's browser starts on demand, is shared, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path

import pytest

from stringd.testing.distributions import write_distribution
from stringd.testing.process import PROGRAM, DaemonProcess
from stringd_web.browser.shared_browser import Browser
from tests.actions.acting import Stage
from tests.actions.processes import wait_for
from tests.web.chromium_pages import PROGRAMS, needs_chromium
from tests.web.process_families import end_within_moments, family
from tests.web.server import Site

pytestmark = [needs_chromium, pytest.mark.long, pytest.mark.timeout(120)]

APP = (
    "<title>App</title><main><h1>Head</h1><p id=p></p></main><script>p.textContent = 'Made ' + 6 * 7</script>"
)
FLAG = "--remote-debugging-pipe"
SUPERVISOR = "stringd_web.browser.supervised_chromium"
WITHOUT_H11 = "import sys\nsys.modules['h11'] = None\n"


@pytest.fixture(params=PROGRAMS)
def alone(start_daemon: Callable[..., DaemonProcess], request: pytest.FixtureRequest) -> Stage:
    """A topic of a daemon of its own, for each browser that is there."""
    return topic_of(start_daemon(env={"STRINGD_BROWSER": request.param}))


def topic_of(daemon: DaemonProcess) -> Stage:
    daemon.register("default", daemon.home)
    return Stage(daemon=daemon, topic="web:life")


def browser_of(stage: Stage) -> dict[int, str]:
    """All processes that the daemon has started, of which one is the browser's first."""
    found = family(stage.daemon.process.pid)
    assert first_of(found)
    return found


def first_of(found: dict[int, str]) -> int:
    """The process that the others of the browser come of."""
    return next(pid for pid, it in found.items() if FLAG in it and SUPERVISOR not in it)


def supervisor_of(found: dict[int, str]) -> int:
    return next(pid for pid, it in found.items() if SUPERVISOR in it)


def folder_of(found: dict[int, str]) -> Path:
    """The folder that the browser has for itself."""
    command = found[first_of(found)]
    (profile,) = (it.partition("=")[2] for it in command.split() if it.startswith("--user-data-dir="))
    return Path(profile).parent


def open_app(stage: Stage, site: Site) -> str:
    return stage.send(f"/open {site.page('/app', APP)} --browser")


@pytest.mark.requirement("browser.rendered")
def test_topic_shows_script_output(stage: Stage, site: Site) -> None:
    shown = open_app(stage, site)
    assert shown.startswith(f"Opened {site.url}/app\n---\n")
    assert "# Head" in shown
    assert "Made 42" in shown
    assert "Made 42" in stage.send("/refresh")
    assert "Made 42" not in stage.send(f"/open {site.url}/app")


@pytest.mark.requirement("browser.cookies")
def test_cookies_are_shared_with_the_browser_per_topic(stage: Stage, site: Site) -> None:
    site.page("/login", "<p>In.", Set_Cookie="id=7; Path=/; HttpOnly")
    site.page("/script", "<script>document.cookie = 'seen=1; path=/'</script><p>Seen.")
    stage.send(f"/open {site.url}/login")
    stage.send(f"/open {site.url}/script --browser")
    assert [it.headers["Cookie"] for it in site.received if it.path == "/script"] == ["id=7"]
    open_plainly = f"/open {site.page('/plain', '<p>Plain.')}"
    stage.send(open_plainly)
    assert set(site.last.headers["Cookie"].split("; ")) == {"id=7", "seen=1"}
    Stage(daemon=stage.daemon, topic=f"{stage.topic}-other").send(open_plainly)
    assert site.last.headers["Cookie"] is None


@pytest.mark.requirement("browser.own_port")
def test_daemon_urls_are_refused(stage: Stage) -> None:
    port = stage.daemon.port
    for host in ("127.0.0.1", "localhost", "0.0.0.0", "[::ffff:127.0.0.1]"):
        assert stage.code(f"/open http://{host}:{port}/health --browser") == "NOT_TRUSTED"


@pytest.mark.requirement("browser.absent")
def test_missing_browser_is_reported(start_daemon: Callable[..., DaemonProcess], tmp_path: Path) -> None:
    nowhere = topic_of(start_daemon(env={"PATH": str(tmp_path), "STRINGD_BROWSER": ""}))
    assert nowhere.send("/open http://127.0.0.1:1/ --browser") == (
        "ERROR(LOAD_ERROR): --browser needs Chromium, and none is installed.\n"
        "On Debian: apt install chromium\n"
        "One in a place of its own is named by the environment variable STRINGD_BROWSER."
    )


@pytest.mark.requirement("browser.absent")
def test_configured_browser_that_is_missing(start_daemon: Callable[..., DaemonProcess]) -> None:
    wrong = topic_of(start_daemon(env={"STRINGD_BROWSER": "/no/such/browser"}))
    answer = wrong.send("/open http://127.0.0.1:1/ --browser")
    assert answer == "ERROR(LOAD_ERROR): STRINGD_BROWSER names no program: /no/such/browser"


@pytest.mark.requirement("browser.absent")
def test_configured_browser_that_does_not_start(
    start_daemon: Callable[..., DaemonProcess], tmp_path: Path
) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho it is broken >&2\nexit 3\n", encoding="utf-8")
    broken.chmod(0o755)
    answer = topic_of(start_daemon(env={"STRINGD_BROWSER": str(broken)})).send(
        "/open http://127.0.0.1:1/ --browser"
    )
    assert answer == f"ERROR(LOAD_ERROR): {broken} does not start.\nit is broken"


@pytest.mark.requirement("browser.absent")
def test_missing_package_is_reported(
    start_daemon: Callable[..., DaemonProcess], tmp_path: Path, site: Site
) -> None:
    plugins = write_distribution(
        tmp_path / "bare",
        "stringd-bare",
        "1.0",
        {"stringd.plugins": {"bare": "stringd_bare"}},
        {"stringd_bare": WITHOUT_H11},
    )
    # A forked daemon would have imported the package already.
    daemon = start_daemon(pythonpath=[plugins], program=PROGRAM)
    answer = open_app(topic_of(daemon), site)
    assert answer == "ERROR(LOAD_ERROR): --browser needs the package h11.\npip install 'stringd[browser]'"


@pytest.mark.requirement("browser.life")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_outlives_the_daemon(alone: Stage, site: Site, number: signal.Signals) -> None:
    assert "Made 42" in open_app(alone, site)
    found = browser_of(alone)
    alone.daemon.process.send_signal(number)
    alone.daemon.process.wait(10)
    assert end_within_moments(found)
    wait_for(lambda: not folder_of(found).exists())


@pytest.mark.requirement("browser.life")
def test_nothing_outlives_the_daemon_while_a_page_loops(alone: Stage, site: Site) -> None:
    site.page("/loop", "<script>while (true) {}</script>")
    threading.Thread(target=silently, args=(alone, f"/open {site.url}/loop --browser"), daemon=True).start()
    wait_for(lambda: "/loop" in site.paths)
    found = browser_of(alone)
    alone.daemon.kill()
    assert end_within_moments(found)


def silently(stage: Stage, cmd: str) -> None:
    """Send what nobody may live to answer."""
    try:
        stage.send(cmd)
    except (OSError, HTTPException):
        return


@pytest.mark.requirement("browser.crash")
@pytest.mark.parametrize("victim", [first_of, supervisor_of])
def test_killed_browser_is_replaced(
    alone: Stage, site: Site, victim: Callable[[dict[int, str]], int]
) -> None:
    assert "Made 42" in open_app(alone, site)
    found = browser_of(alone)
    os.kill(victim(found), signal.SIGKILL)
    assert end_within_moments(found)
    assert "Made 42" in open_app(alone, site)


@pytest.mark.requirement("browser.crash")
def test_browser_killed_at_work_is_an_error(alone: Stage, site: Site) -> None:
    uri = site.page("/held", APP)
    answers: list[str] = []
    with site.holding("/held"):
        asking = threading.Thread(target=lambda: answers.append(alone.send(f"/open {uri} --browser")))
        asking.start()
        wait_for(lambda: "/held" in site.paths)
        os.kill(first_of(browser_of(alone)), signal.SIGKILL)
        asking.join()
    assert answers == [f"ERROR(LOAD_ERROR): The browser crashed or failed: {uri}"]
    assert "Made 42" in open_app(alone, site)


@pytest.mark.requirement("browser.one")
def test_looping_page_does_not_block_other_topics(alone: Stage, site: Site) -> None:
    site.page("/loop", "<p>Loops.</p><script>while (true) {}</script>")
    other = Stage(daemon=alone.daemon, topic="file:other")
    answers: list[str] = []
    looping = threading.Thread(target=lambda: answers.append(alone.send(f"/open {site.url}/loop --browser")))
    looping.start()
    wait_for(lambda: "/loop" in site.paths)
    began = time.monotonic()
    for _ in range(20):
        assert other.code('/set {x} = "1"') is None
    assert looping.is_alive()
    assert time.monotonic() - began < 10
    looping.join()
    assert "The page was still changing" in answers[0]
    assert "Loops." in answers[0]


@pytest.mark.requirement("browser.life")
def test_idle_browser_ends() -> None:
    async def use() -> dict[int, str]:
        browser = Browser(idle_seconds=0.1)
        before = family(os.getpid()).keys()
        async with browser.borrow(asyncio.get_running_loop().time() + 10):
            found = {pid: it for pid, it in family(os.getpid()).items() if pid not in before}
        assert await asyncio.to_thread(end_within_moments, found)
        return found

    assert first_of(asyncio.run(use()))


@pytest.mark.requirement("browser.sandbox")
def test_browser_is_sandboxed_where_possible(alone: Stage, site: Site) -> None:
    if subprocess.run(["unshare", "--map-root-user", "--net", "true"], check=False).returncode:
        pytest.skip("this system gives no namespaces")
    open_app(alone, site)
    found = browser_of(alone)
    assert not [it for it in found.values() if "--no-sandbox" in it]
    assert Path(f"/proc/{first_of(found)}/ns/net").readlink() != Path("/proc/self/ns/net").readlink()
