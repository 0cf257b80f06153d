"""Every page of the console by the rules of axe-core, in both themes, at 1280 and at 360 pixels."""

from __future__ import annotations

import pytest

from stringd.testing.process import DaemonProcess
from tests.console.axe import violations
from tests.console.chromium import Tab, needs_chromium

pytestmark = [
    needs_chromium,
    pytest.mark.long,
    pytest.mark.timeout(180),
]
_SMALLEST = 24
# What can be pressed and is smaller than that, unless it stands in a line of text.
_SMALL_TARGETS = f"""[...document.querySelectorAll("button, select, summary, input, nav a")].filter((it) => {{
  const box = it.getBoundingClientRect();
  return box.width && box.height && (box.height < {_SMALLEST} || box.width < {_SMALLEST})
    && !it.closest("label");
}}).map((it) => it.outerHTML.slice(0, 160))"""
_WIDER = """[...document.querySelectorAll("body *")].filter((it) => {
  const scrolled = it.parentElement.closest(".table-frame, pre, nav, [data-scrolls]");
  return !scrolled && it.getBoundingClientRect().right > innerWidth + 1;
}).map((it) => it.outerHTML.slice(0, 160))"""


def pages(tab: Tab) -> list[str]:
    """Return the URLs of all pages in the navigation, and of all topics."""
    links = "[...document.querySelectorAll('.bar nav a, #topics a')].map((it) => it.href)"
    found: list[str] = tab.run(links)
    assert len(found) > 2
    return found


@pytest.mark.requirement("console.accessible")
def test_no_page_breaks_a_rule(tab: Tab, busy: DaemonProcess) -> None:
    tab.wait_text("build", "#topics")
    for url in pages(tab):
        tab.open(url)
        tab.wait_text("Live", "#connection")
        for width, dark in ((1280, False), (360, True), (1280, True), (360, False)):
            tab.resize(width, dark=dark)
            assert violations(tab) == [], (url, width, dark)


@pytest.mark.requirement("console.phone")
def test_pages_fit_on_a_phone(tab: Tab, busy: DaemonProcess) -> None:
    tab.wait_text("build", "#topics")
    for url in pages(tab):
        tab.open(url)
        tab.wait_text("Live", "#connection")
        tab.resize(360)
        assert tab.run("document.documentElement.scrollWidth <= innerWidth"), (url, tab.run(_WIDER))
        assert "\n".join(tab.run(_SMALL_TARGETS)) == "", url


@pytest.mark.requirement("console.keyboard")
def test_everything_is_reached_by_the_tab_key(tab: Tab, busy: DaemonProcess) -> None:
    """Each element that can be pressed or filled in gets the focus, and shows that it has it."""
    # What has a negative index gets the focus by a button, such as the keys of a program's screen.
    kinds = ":is(a[href], button:not([disabled]), input, select, textarea, summary):not([tabindex='-1'])"
    visible = f'[...document.querySelectorAll("{kinds}")].filter((it) => it.checkVisibility())'
    for url in pages(tab):
        tab.open(url)
        tab.wait_text("Live", "#connection")
        wanted: set[str] = {*tab.run(f"{visible}.map((it) => it.outerHTML.slice(0, 300))")}
        reached: set[str] = set()
        # Fields of several parts, such as dates, take several steps.
        for _ in range(2 * len(wanted) + 20):
            tab.press("Tab")
            focused = tab.run("document.activeElement.outerHTML.slice(0, 300)")
            reached.add(focused)
            outline = "getComputedStyle(document.activeElement).outlineStyle"
            assert tab.run(f"document.activeElement === document.body || {outline} !== 'none'"), focused
        assert wanted <= reached, url
