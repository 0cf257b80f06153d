"""Typing into a screen in a browser: the shell's prompt, programs, secrets, and the way out."""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import median

import pytest

from stringd.testing.process import DaemonProcess
from tests.console.chromium import Tab, needs_chromium

pytestmark = [needs_chromium, pytest.mark.timeout(90)]


@pytest.fixture
def screen(tab: Tab, operated: DaemonProcess) -> Iterator[Tab]:
    """A tab with the page of a new bash topic."""
    name = f"bash:typed{time.monotonic_ns()}"
    tab.open(f"{operated.url}/console/topics/default/{name}")
    tab.wait_text("Live", "#connection")
    yield tab
    operated.request("DELETE", f"/sessions/default/{name}")


def run_line(tab: Tab, line: str) -> None:
    tab.wait("document.activeElement.id === 'screen-line'")
    tab.type(line)
    tab.press("Enter")


@pytest.mark.requirement("console.screen.typing", "console.screen.prompt", "console.screen.leaving")
def test_a_person_works_in_a_terminal_by_keyboard_alone(screen: Tab) -> None:
    tab = screen
    tab.run("document.querySelector('[data-enters-screen]').focus()")
    tab.press("Enter")
    run_line(tab, "cat -A")
    tab.wait("document.activeElement.matches('[data-takes-keys]')")
    tab.type("a<b>")
    tab.press("Tab", "x", "Enter")
    tab.wait_text("a<b>^Ix$", ".screen-rows")
    tab.press("d", control=True)
    run_line(tab, "read -rsp 'Password: ' it; echo; echo length ${#it}")
    tab.wait("document.activeElement.id === 'screen-secret'")
    tab.type("hunter2-secret")
    assert "hunter2" not in tab.run("document.documentElement.outerHTML")
    tab.press("Enter")
    tab.wait_text("length 14", ".screen-rows")
    tab.wait("document.activeElement.id === 'screen-line'")
    assert "hunter2" not in tab.run("document.documentElement.outerHTML")
    tab.press("Control+Shift+Enter")
    tab.wait("document.activeElement.dataset.entersScreen !== undefined")


@pytest.mark.long
@pytest.mark.requirement("console.screen.latency")
def test_a_key_is_visible_at_once(screen: Tab) -> None:
    tab = screen
    tab.click("[data-enters-screen]")
    run_line(tab, "cat")
    tab.wait("document.activeElement.matches('[data-takes-keys]')")
    tab.run(
        "(() => { window.seen = []; const now = () => performance.now();"
        "const rows = document.querySelector('.screen-rows');"
        "document.addEventListener('input', () => { window.pressed = now(); }, true);"
        "const look = () => { if (window.pressed) seen.push(now() - window.pressed); window.pressed = 0; };"
        "new MutationObserver(look).observe(rows, {subtree: true, childList: true, characterData: true});})()"
    )
    for count in range(1, 31):
        tab.type("x")
        tab.wait(f"window.seen.length === {count}")
        time.sleep(0.06)
    assert tab.text(".screen-rows").strip().endswith("x" * 30)
    assert median(tab.run("window.seen")) < 100


@pytest.mark.long
@pytest.mark.requirement("console.screen.typing")
def test_fast_typing_arrives_in_order(screen: Tab) -> None:
    tab = screen
    tab.click("[data-enters-screen]")
    run_line(tab, "cat")
    tab.wait("document.activeElement.matches('[data-takes-keys]')")
    words = " ".join(map(str, range(100, 118)))
    for character in words:
        tab.press(character)
    tab.press("Enter")
    tab.wait(f"document.querySelector('.screen-rows').innerText.split('{words}').length === 3")


@pytest.mark.long
@pytest.mark.requirement("console.screen.looks", "console.screen.grid", "console.screen.hostile")
def test_colours_and_cells_are_drawn(screen: Tab) -> None:
    tab = screen
    tab.click("[data-enters-screen]")
    printed = r"\e[38;2;255;136;0mtrue\e[m\n\u6f22\u2500\n12345\n\u202eabc<img src=x>\n"
    run_line(tab, f"printf '{printed}'")
    tab.wait_text("\nabc<img src=x>", ".screen-rows")
    spans = "[...document.querySelectorAll('.screen-row span')]"
    tab.wait(f"getComputedStyle({spans}.find(it => it.textContent === 'true')).color === 'rgb(255, 136, 0)'")
    widths = tab.run(
        "(() => { const range = new Range(), rows = [...document.querySelectorAll('.screen-row')];"
        "range.selectNodeContents(rows.find(it => it.textContent === '12345'));"
        "return [range, ...document.querySelectorAll('.screen-row .cell:not(.odd), .screen-row .wide')]"
        ".map(it => it.getBoundingClientRect().width); })()"
    )
    column = widths[0] / 5
    assert widths[1:] == pytest.approx([column * 2, column], abs=0.3)
