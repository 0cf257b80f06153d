"""The console's page of apps and plugins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.console.chromium import Tab, needs_chromium
from tests.console.signing_in import SignedIn, sign_in, signed_in

pytestmark = pytest.mark.timeout(60)
SECRET = "tulip-98127"
WEATHER = """---
name: weather
description: The weather of <b>any</b> place
env:
  - name: WEATHER_KEY
    description: the key of your account
  - name: UNITS
    required: false
---
# Weather

```act.now
GET https://api.example.org/now?key=$WEATHER_KEY
```
"""
BROKEN = """
from stringd.plugin import hookimpl

@hookimpl
def stringd_nothing():
    return []
"""


@pytest.fixture(scope="module")
def broken_plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plugins") / "broken_one.py"
    path.write_text(BROKEN, encoding="utf-8")
    return path.parent


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory, broken_plugin: Path) -> Iterator[SignedIn]:
    folder = tmp_path_factory.mktemp("console-of-apps")
    options = ("--plugins-dir", str(broken_plugin))
    daemon = DaemonProcess(folder, options, {}, port=0, data_dir=None, operator=True)
    daemon.start()
    daemon.register()
    daemon.register("ada")
    home = folder / "home-default"
    (home / "weather.md").write_text(WEATHER, encoding="utf-8")
    (home / "packages" / "spoilt").mkdir(parents=True)
    yield signed_in(daemon)
    daemon.kill()


def act(browser: SignedIn, action: str, **fields: str) -> dict[str, Any]:
    reply = browser.act(f"apps/{action}", user="default", **fields)
    assert reply.status == 200, reply.text
    answer: dict[str, Any] = reply.json()
    return answer


def page(browser: SignedIn, user: str = "default") -> str:
    reply = browser.get(f"/console/apps?user={user}")
    assert reply.status == 200
    return reply.text


def card(browser: SignedIn, app: str) -> str:
    shown = page(browser)
    start = shown.index(f'class="card" data-key="{app}"')
    return shown[start:].partition("Remove…")[0]


@pytest.fixture
def weather(browser: SignedIn) -> Iterator[SignedIn]:
    """The browser, with the app installed and no values."""
    act(browser, "install", source="weather.md --replace")
    yield browser
    act(browser, "remove", app="weather")


@pytest.mark.requirement("console.apps.shown")
def test_apps_are_shown_with_what_they_need(weather: SignedIn) -> None:
    shown = card(weather, "weather")
    assert "The weather of &lt;b&gt;any&lt;/b&gt; place" in shown
    assert '<li class="tag">now</li>' in shown
    assert "weather.md" in shown
    assert ">1 missing<" in shown
    assert shown.count(">missing<") == 1
    assert "the key of your account" in shown
    assert "cannot be read" in card(weather, "spoilt")
    assert 'data-key="weather"' not in page(weather, "ada")
    assert weather.get("/console/apps?user=nobody").status == 404
    assert weather.get("/console/apps/nothing").status == 404


@pytest.mark.requirement("console.apps.plugins")
def test_plugins_are_shown_with_the_reason_why_one_was_skipped(browser: SignedIn) -> None:
    shown = page(browser).partition('id="plugins-title"')[2]
    assert "command /install" in shown
    broken = shown.partition("<bdi>broken_one</bdi>")[2].partition("</li>")[0]
    assert ">skipped<" in broken
    assert "unknown hook stringd_nothing" in broken


@pytest.mark.requirement("console.apps.installed")
def test_app_is_installed_updated_and_removed(browser: SignedIn) -> None:
    home = Path(browser.daemon.request("GET", "/users").json()["users"][0]["home"]).parent / "home-default"
    assert act(browser, "install", source="weather.md")["notice"].startswith("Installed app:weather")
    shown = page(browser)
    assert "api.example.org" in shown
    assert ">done<" in shown
    (home / "weather.md").write_text(WEATHER.replace("place", "town"), encoding="utf-8")
    act(browser, "update", app="weather")
    assert "any&lt;/b&gt; town" in card(browser, "weather")
    (home / "weather.md").write_text(WEATHER, encoding="utf-8")
    assert act(browser, "remove", app="weather")["notice"] == "Uninstalled app:weather"
    assert 'data-key="weather"' not in page(browser)
    act(browser, "forget-report")
    assert ">done<" not in page(browser)


@pytest.mark.requirement("console.apps.installed")
def test_failed_installation_says_why(browser: SignedIn) -> None:
    assert act(browser, "install", source="nothing.md")["notice"] == ""
    shown = page(browser)
    assert ">failed<" in shown
    assert "nothing.md" in shown
    act(browser, "forget-report")


@pytest.mark.requirement("console.apps.installed", "console.apps.secret")
@pytest.mark.parametrize(
    ("action", "fields"),
    [
        ("install", {"source": " "}),
        ("install", {"source": "a.md\n/exec id"}),
        ("update", {"app": "x --replace"}),
        ("remove", {"app": "../x"}),
        ("remove", {}),
        ("set-secret", {"app": "weather", "name": "WEATHER_KEY", "value": ""}),
        ("set-secret", {"app": "weather", "name": "OTHER", "value": "x"}),
        ("set-secret", {"app": "weather", "name": "WEATHER_KEY", "value": "x" * 70_000}),
        ("set-secret", {"app": "nothing", "name": "WEATHER_KEY", "value": "x"}),
        ("set-secret", {"app": "weather", "name": "WEATHER_KEY", "value": "x", "user": "nobody"}),
    ],
)
def test_mistakes_are_refused(weather: SignedIn, action: str, fields: dict[str, str]) -> None:
    reply = weather.act(f"apps/{action}", **{"user": "default", **fields})
    assert reply.status == 422
    assert reply.json()["error"]
    assert ">missing<" in card(weather, "weather")


@pytest.mark.requirement("console.apps.secret")
def test_secret_is_set_and_deleted_and_leaves_no_trace(weather: SignedIn) -> None:
    fields = {"app": "weather", "name": "WEATHER_KEY"}
    answer = weather.act("apps/set-secret", user="default", value=SECRET, **fields)
    assert answer.json()["notice"] == "$WEATHER_KEY of app:weather was set."
    shown = page(weather)
    assert ">missing<" not in card(weather, "weather")
    told = weather.daemon.exec("/set", "app:weather").content
    assert "$WEATHER_KEY" in told
    events = weather.daemon.request("GET", "/console/topics", headers=weather.headers).text
    log = weather.daemon.stderr()
    assert SECRET not in "".join((answer.text, shown, told, events, log))
    answer = weather.act("apps/set-secret", user="default", value="", delete="yes", **fields)
    assert answer.json()["notice"] == "$WEATHER_KEY of app:weather was deleted."
    assert ">missing<" in card(weather, "weather")


@needs_chromium
@pytest.mark.long
@pytest.mark.requirement("console.apps.shown", "console.apps.installed", "console.apps.secret")
def test_app_is_installed_and_given_its_key_in_a_browser(
    open_tab: Callable[[], Tab], browser: SignedIn
) -> None:
    tab = open_tab()
    sign_in(tab, browser.daemon, "apps?user=default")
    tab.run("document.querySelector('[name=source]').focus()")
    tab.type("weather.md")
    tab.press("Enter")
    tab.wait_text("The weather of <b>any</b> place", "#apps")
    tab.wait_text("api.example.org", ".report")
    tab.run("document.querySelector('[data-key=WEATHER_KEY] [type=password]').focus()")
    tab.type(SECRET)
    tab.press("Enter")
    tab.wait_text("set", "[data-key=WEATHER_KEY] .state")
    tab.wait("document.querySelector('[data-key=WEATHER_KEY] [type=password]').value === ''")
    assert SECRET not in tab.run("document.documentElement.outerHTML")
    tab.click("[data-key=weather] .danger")
    tab.wait_text("Remove the app weather with its values?", "dialog[open]")
    tab.press("Enter")
    tab.wait("!document.querySelector('[data-key=weather]')")
