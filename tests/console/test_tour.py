"""The pictures of the tour: everything that it names is on the page that it shows.

With `STRINGD_PICTURES` set, as by `make pictures`, they are written into the documentation.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.console.chromium import Tab, needs_chromium
from tests.console.signing_in import sign_in
from tests.console.tour import begin, tidy, tour_daemon
from tests.docs.pages import text_of
from tests.repository.tree import ROOT

pytestmark = [needs_chromium, pytest.mark.long, pytest.mark.timeout(180)]
TOUR = "docs/tutorial/the-console.md"
PICTURES = ROOT / "docs" / "images"
_SECTION = re.compile(r"^## .*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_PICTURE = re.compile(r"!\[[^\]]+\]\(\.\./images/console-([a-z]+)\.png\)")
_NAMED = re.compile(r"\*\*([^*]+)\*\*")
_LARGEST = 200 * 1024
# Buttons of questions are dimmed until they have been there for a while.
_SETTLED_SECONDS = 1.0
_HEIGHTS = {
    "topic": 760,
    "question": 620,
    "run": 860,
    "apps": 900,
    "users": 820,
    "log": 760,
    "shell": 800,
    "topics": 560,
    "narrow": 760,
}


def sections() -> dict[str, list[str]]:
    """Return the names in each section of the tour, by its picture."""
    found = {}
    for section in _SECTION.findall(text_of(TOUR)):
        if picture := _PICTURE.search(section):
            found[picture[1]] = _NAMED.findall(section)
    return found


def shows_everything(tab: Tab, names: list[str]) -> list[str]:
    """Return the names that a page does not show: neither as text nor as a label."""
    shown = str(
        tab.run(
            "document.body.innerText + [...document.querySelectorAll('[placeholder], [aria-label], summary')]"
            ".map((it) => it.placeholder + ' ' + it.ariaLabel + ' ' + it.textContent).join(' ')"
        )
    ).lower()
    return [it for it in names if it.lower() not in shown]


def open_page(tab: Tab, daemon: DaemonProcess, path: str, *, dark: bool = False, width: int = 1180) -> None:
    tab.resize(width, _HEIGHTS.get(path.partition("?")[0], 800), dark=dark)
    tab.open(f"{daemon.url}/console/{path}")
    tab.wait_text("Live", "#connection")


def first_run(daemon: DaemonProcess, tab: Tab) -> str:
    open_page(tab, daemon, "runs")
    return str(tab.run("document.querySelector('.run-row a').getAttribute('href')")).removeprefix("/console/")


SCENES: dict[str, Callable[[Tab, DaemonProcess], None]] = {
    "topics": lambda tab, daemon: open_page(tab, daemon, "topics"),
    "topic": lambda tab, daemon: open_page(tab, daemon, "topics/default/file:trip"),
    "shell": lambda tab, daemon: open_page(tab, daemon, "topics/default/bash:build"),
    "question": lambda tab, daemon: open_page(tab, daemon, "questions"),
    "run": lambda tab, daemon: open_page(tab, daemon, first_run(daemon, tab)),
    "apps": lambda tab, daemon: open_page(tab, daemon, "apps"),
    "log": lambda tab, daemon: open_page(tab, daemon, "log"),
    "users": lambda tab, daemon: open_page(tab, daemon, "users"),
    "narrow": lambda tab, daemon: open_page(tab, daemon, "questions", dark=True, width=380),
}


def test_tour_shows_what_it_names(open_tab: Callable[[], Tab], tmp_path: Path) -> None:
    named = sections()
    assert named.keys() == SCENES.keys()
    daemon, tab = tour_daemon(tmp_path), open_tab()
    tab.call("Emulation.setTimezoneOverride", timezoneId="Europe/Oslo")
    tab.call("Emulation.setLocaleOverride", locale="en-GB")
    target = PICTURES if os.environ.get("STRINGD_PICTURES") else tmp_path
    sign_in(tab, daemon)
    begin(daemon)
    missing = {}
    for name, scene in SCENES.items():
        scene(tab, daemon)
        height = _HEIGHTS[name]
        tab.resize(380 if name == "narrow" else 1180, height, dark=name == "narrow")
        time.sleep(_SETTLED_SECONDS)
        missing[name] = shows_everything(tab, named[name])
        tidy(tab, tmp_path)
        picture = tab.screenshot(target / f"console-{name}.png")
        assert picture.stat().st_size < _LARGEST
        assert (PICTURES / picture.name).is_file(), f"make pictures draws {picture.name}"
    daemon.kill()
    assert not {name: it for name, it in missing.items() if it}
