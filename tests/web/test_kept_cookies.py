"""Cookies that survive the daemon, and those that must not."""

from __future__ import annotations

import stat
from collections.abc import Callable

import pytest

from stringd.testing.process import DaemonProcess
from tests.web.server import Site, answer

KEEP = {"STRINGD_WEB_KEEP_COOKIES": "yes"}
VALUE = "sk-very-secret-session"


def visit(daemon: DaemonProcess, site: Site, path: str = "/", topic: str = "web:a") -> str | None:
    """Open a page; return the cookies that it was asked with."""
    assert daemon.exec(f"/open {site.url}{path}", topic).head["ok"]
    return site.last.headers["Cookie"]


def on_disk(daemon: DaemonProcess) -> bool:
    """Whether the cookie is anywhere in the data directory."""
    files = [it for it in daemon.data_dir.rglob("*") if it.is_file()]
    return any(VALUE.encode() in it.read_bytes() for it in files)


@pytest.fixture
def shop(site: Site) -> Site:
    """A site that sets a cookie for the session, one for good, and one that has expired."""
    headers = [
        ("Set-Cookie", f"id={VALUE}; HttpOnly"),
        ("Set-Cookie", "b=2; Path=/deep; Max-Age=600"),
        ("Set-Cookie", "c=3; Max-Age=1"),
    ]
    site.serve("/login", answer("in", headers=headers))
    site.serve("/logout", answer("out", headers=[("Set-Cookie", "id=; Max-Age=0")]))
    for path in ("/", "/deep/x"):
        site.page(path, "page")
    return site


@pytest.fixture
def keeping(start_daemon: Callable[..., DaemonProcess]) -> DaemonProcess:
    """A daemon that keeps cookies."""
    running = start_daemon(env=KEEP)
    running.register("default", running.home)
    return running


@pytest.mark.requirement("web.cookies.kept")
@pytest.mark.parametrize("killed", [False, True])
def test_cookies_survive_the_daemon_if_that_is_set(keeping: DaemonProcess, shop: Site, killed: bool) -> None:
    visit(keeping, shop, "/login")
    if killed:
        keeping.kill()
    keeping.restart()
    deep = visit(keeping, shop, "/deep/x") or ""
    assert {"b=2", f"id={VALUE}"} <= set(deep.split("; "))
    assert visit(keeping, shop, "/", "web:other") is None
    for file in keeping.data_dir.glob("sessions.db*"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.requirement("web.cookies.kept")
def test_a_fork_goes_on_with_the_cookies_and_close_drops_them(keeping: DaemonProcess, shop: Site) -> None:
    visit(keeping, shop, "/login")
    keeping.exec("/fork web:b", "web:a")
    assert VALUE in str(visit(keeping, shop, "/", "web:b"))
    keeping.exec("/close", "web:a")
    assert visit(keeping, shop) is None
    keeping.exec("/close", "web:b")
    keeping.restart()
    assert (visit(keeping, shop), visit(keeping, shop, "/", "web:b")) == (None, None)


@pytest.mark.requirement("web.cookies.kept")
def test_a_site_that_takes_a_cookie_back_takes_the_kept_one_too(keeping: DaemonProcess, shop: Site) -> None:
    visit(keeping, shop, "/login")
    visit(keeping, shop, "/logout")
    keeping.restart()
    assert VALUE not in str(visit(keeping, shop))


@pytest.mark.long
@pytest.mark.requirement("web.cookies.kept")
def test_many_large_cookies_leave_the_latest(keeping: DaemonProcess, shop: Site) -> None:
    headers = [("Set-Cookie", f"n{number}={'x' * 3000}; Path=/n{number}") for number in range(20)]
    for page in range(6):
        shop.serve(
            f"/many{page}", answer("x", headers=[(n, v.replace("n", f"p{page}n")) for n, v in headers])
        )
        visit(keeping, shop, f"/many{page}")
    visit(keeping, shop, "/login")
    keeping.restart()
    assert VALUE in str(visit(keeping, shop))


@pytest.mark.requirement("web.cookies.topic", "web.cookies.kept")
def test_nothing_is_kept_by_default(start_daemon: Callable[..., DaemonProcess], shop: Site) -> None:
    daemon = start_daemon()
    daemon.register("default", daemon.home)
    visit(daemon, shop, "/login")
    assert VALUE in str(visit(daemon, shop))
    assert not on_disk(daemon)
    daemon.restart()
    assert not on_disk(daemon)
    assert visit(daemon, shop) is None


@pytest.mark.requirement("web.cookies.kept")
def test_kept_cookies_are_not_used_once_it_is_off(
    keeping: DaemonProcess, start_daemon: Callable[..., DaemonProcess], shop: Site
) -> None:
    visit(keeping, shop, "/login")
    keeping.stop()
    off = start_daemon(data_dir=keeping.data_dir)
    assert visit(off, shop) is None
    off.stop()
    on = start_daemon(data_dir=keeping.data_dir, env=KEEP)
    assert visit(on, shop) is None
