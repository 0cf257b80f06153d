"""The page of users, and of the browsers that are signed in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from stringd_console.user_pages.browser_name import browser_name
from tests.approval.daemons import write_policy
from tests.console.chromium import Tab, needs_chromium
from tests.console.live_stream import LiveStream
from tests.console.signing_in import SignedIn, sign_in, signed_in

pytestmark = pytest.mark.timeout(60)


@pytest.fixture(scope="module")
def browser(operated: DaemonProcess) -> SignedIn:
    return signed_in(operated)


def page(browser: SignedIn) -> str:
    reply = browser.get("/console/users")
    assert reply.status == 200
    return reply.text


def users(daemon: DaemonProcess) -> dict[str, dict[str, object]]:
    return {it["id"]: it for it in daemon.request("GET", "/users").json()["users"]}


@pytest.mark.requirement("console.users.shown")
def test_users_are_shown_with_what_they_may_access(browser: SignedIn, tmp_path: Path) -> None:
    daemon = browser.daemon
    allowed = [str(tmp_path), "/not/there"]
    daemon.request("POST", "/users", {"id": "ada/<b>", "home": str(tmp_path / "h"), "allowedPaths": allowed})
    daemon.exec("/info", "file:one", "ada/<b>")
    shown = page(browser)
    card = shown[shown.index('data-key="ada/&lt;b&gt;"') :].partition("</details>")[0]
    assert "<bdi>ada/&lt;b&gt;</bdi>" in card
    assert "1 topic<" in card
    assert f"<code>{tmp_path / 'h'}</code>" in card
    assert card.count(">missing<") == 1
    assert "<b>" not in card
    daemon.request("DELETE", "/users/ada%2F%3Cb%3E")
    assert browser.get("/console/users/nobody").status == 404


@pytest.mark.requirement("console.users.shown")
def test_policy_that_concerns_a_user_is_counted(browser: SignedIn) -> None:
    rules = ["{verdict: ask, kind: command, user: [mi*]}", "{verdict: ask, kind: command, effect: [outside]}"]
    browser.daemon.register("mia")
    write_policy(browser.daemon.data_dir, f"rules: [{', '.join(rules)}]")
    shown = page(browser)
    assert '<a href="/console/policy">Policy</a>' in shown
    mia = shown.partition('data-key="mia"')[2].partition("</li>")[0]
    assert "1 rule for this user, 1 rule for all users" in mia
    assert "<dd>1 rule for all users</dd>" in shown.partition('data-key="default"')[2].partition("</dl>")[0]
    browser.daemon.request("DELETE", "/users/mia")


@pytest.mark.requirement("console.users.changed")
def test_users_are_added_changed_and_removed(browser: SignedIn, tmp_path: Path) -> None:
    daemon, home = browser.daemon, tmp_path / "home of bob"
    assert browser.act("users/add", id=" bob ", home=f" {home} ").json()["notice"] == "bob was added."
    assert home.is_dir()
    assert browser.act("users/allow", user="bob", directory=str(tmp_path)).status == 200
    assert browser.act("users/allow", user="bob", directory=str(tmp_path)).status == 200
    assert users(daemon)["bob"]["allowedPaths"] == [str(tmp_path)]
    assert browser.act("users/disallow", user="bob", directory=str(tmp_path)).status == 200
    assert users(daemon)["bob"]["allowedPaths"] == []
    daemon.exec("/info", "file:of-bob", "bob")
    assert browser.act("users/remove", user="bob").status == 200
    assert "bob" not in users(daemon)
    assert home.is_dir()
    assert browser.act("users/remove", user="bob").status == 422


@pytest.mark.requirement("console.users.changed")
def test_what_a_user_may_access_is_shown_as_it_changes(browser: SignedIn, tmp_path: Path) -> None:
    directory = tmp_path / "shared with eve"
    directory.mkdir()
    browser.daemon.register("eve")
    with LiveStream(browser, "users") as page:
        assert directory.name not in page.wait('data-key="eve"', "users")
        assert browser.act("users/allow", user="eve", directory=str(directory)).status == 200
        page.wait(directory.name, "users")
    browser.daemon.request("DELETE", "/users/eve")


@pytest.mark.requirement("console.users.changed")
@pytest.mark.parametrize(
    ("action", "fields", "message"),
    [
        ("add", {}, "id required"),
        ("add", {"id": "x" * 300, "home": "/tmp"}, "Invalid id: at most 256 characters"),
        ("add", {"id": "new", "home": "relative"}, "home must be an absolute path"),
        ("add", {"id": "new", "home": "/a\0b"}, "home must be an absolute path"),
        ("add", {"id": "default", "home": "/tmp"}, "There is a user default already."),
        ("allow", {"user": "default", "directory": "relative"}, "This is no directory"),
        ("allow", {"user": "default", "directory": "/not/there"}, "This is no directory"),
        ("allow", {"user": "default", "directory": "/etc/passwd"}, "This is no directory"),
        ("allow", {"user": "default", "directory": "/" + "x" * 5000}, "This is no directory"),
        ("allow", {"user": "nobody", "directory": "/tmp"}, "Unknown user: nobody"),
        ("disallow", {}, "Unknown user"),
        ("remove", {"user": "nobody"}, "There is no user nobody any more."),
        ("sign-out", {"browser": "nothing"}, "This browser is signed out already."),
    ],
)
def test_mistakes_are_refused_and_change_nothing(
    browser: SignedIn, action: str, fields: dict[str, str], message: str
) -> None:
    before = users(browser.daemon)
    reply = browser.act(f"users/{action}", **fields)
    assert reply.status == 422
    assert message in reply.json()["error"]
    assert users(browser.daemon) == before


@pytest.mark.requirement("console.users.browsers", "console.access.sign_out")
def test_another_browser_is_signed_out(operated: DaemonProcess, browser: SignedIn) -> None:
    other = signed_in(operated)
    rows = page(browser).split('data-own="')
    ids = [it.partition('"')[0] for it in rows[1:]]
    assert browser.act("users/sign-out", browser=ids[-1]).status == 200
    assert other.get("/console/users").status == 401
    assert f'data-own="{ids[-1]}"' not in page(browser)


@pytest.mark.requirement("console.users.browsers")
@pytest.mark.parametrize(
    ("agent", "name"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox 140 on Linux"),
        (
            "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/150.0.0.0 Safari/537.36 Edg/150.0",
            "Edge 150 on Windows",
        ),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Safari/605.1.15", "Safari 605 on iPhone"),
        ("", "Another program"),
        ("<script>Chrome/9</script>", "Chrome 9"),
    ],
)
def test_browsers_have_names(agent: str, name: str) -> None:
    assert browser_name(agent) == name


@needs_chromium
@pytest.mark.requirement("console.users.shown", "console.users.changed", "console.users.browsers")
def test_page_is_used_with_the_keyboard(
    tab: Tab, open_tab: Callable[[], Tab], operated: DaemonProcess, tmp_path: Path
) -> None:
    number = tab.run(
        "[...document.querySelectorAll('.bar nav a')].findIndex((it) => it.text.includes('Users')) + 1"
    )
    tab.press("g", str(number))
    tab.wait_text("Whose homes agents work in", "main")
    tab.wait_text("Live", "#connection")
    tab.run("document.querySelector('.adding > summary').focus()")
    tab.press("Enter", "Tab")
    tab.type("eve")
    tab.press("Tab")
    tab.type(str(tmp_path / "eve"))
    tab.press("Enter")
    tab.wait_text("eve", "#users")
    tab.wait_text("eve was added.", "#notices")
    assert tab.run("document.querySelectorAll('[data-own]:not([hidden])').length") == 1
    other = open_tab()
    sign_in(other, operated)
    tab.wait("document.querySelectorAll('[data-own]').length > 1")
    tab.run(
        "[...document.querySelectorAll('[data-own]')].at(-1).closest('li').querySelector('button').focus()"
    )
    tab.press("Enter")
    tab.wait_text("Sign this browser out?", "dialog[open]")
    tab.press("Enter")
    other.wait_text("this browser was signed out", "#away")
    tab.run("document.querySelector('[data-key=eve] .danger').closest('details').open = true")
    tab.click("[data-key=eve] .danger")
    tab.wait_text("Remove the user “eve”", "dialog[open]")
    tab.press("Enter")
    tab.wait("!document.querySelector('[data-key=eve]')")
