"""`/click`, `/type` and `/screenshot` act on the topic's page in the browser."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import pytest

from stringd.testing.process import DaemonProcess
from tests.actions.acting import Stage, running_daemon
from tests.web.chromium_pages import needs_chromium
from tests.web.server import Site

pytestmark = [needs_chromium, pytest.mark.long, pytest.mark.timeout(120)]

APP = """<!DOCTYPE html><title>Shop</title><main><h1>Shop</h1><p>Boots, hats and gloves.</p>
<ul id=list><li>Boots</li></ul><p id=count>0 in the basket</p>
<button id=add>Add to basket</button> <button disabled>Pay</button>
<label>Size <select id=size><option>S<option>M<option>L</select></label>
<label>Name <input id=name></label> <label>Code <input type=password id=code></label>
<p><a href="/about">About us</a> <a href="/about" target=_blank>In a window</a></p></main>
<script>
let n = 0;
add.onclick = (e) => { count.textContent = `${++n} in the basket, ${e.isTrusted}`;
  if (n == 1) { const b = document.createElement("button"); b.textContent = "Empty it"; add.after(b); } };
document.getElementById("name").addEventListener("input", (e) => {
  list.insertAdjacentHTML("beforeend", `<li>Hello ${e.target.value}</li>`); });
document.getElementById("name").addEventListener("keydown", (e) => {
  if (e.key == "Enter") setTimeout(() => list.insertAdjacentHTML("beforeend", "<li>Entered</li>"), 200); });
size.onchange = () => list.insertAdjacentHTML("beforeend", `<li>Size ${size.value}</li>`);
</script>"""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon whose browser the tests share."""
    with running_daemon(tmp_path_factory.mktemp("shared")) as running:
        yield running


@pytest.fixture
def opened(stage: Stage, site: Site) -> Stage:
    """A topic that shows the page."""
    site.page("/about", "<title>About</title><main><h1>About</h1><p>We sell boots.</p></main>")
    stage.send(f"/open {site.page('/app', APP)} --browser")
    return stage


def element(listed: str, label: str) -> str:
    """Return the name of the element with a label."""
    return next(line.split()[0] for line in listed.splitlines() if label in line)


@pytest.mark.requirement("browser.click")
def test_click_shows_only_what_changed(opened: Stage) -> None:
    listed = opened.send("/click")
    assert listed.startswith("Elements\n---\n@e1  button  Add to basket\n@e2  button  Pay  (disabled)\n")
    assert "choice  Size  (= S)" in listed
    clicked = opened.send("/click @e1")
    assert clicked.startswith("Clicked @e1\n---\n")
    assert "1 in the basket, true" in clicked
    assert "Boots, hats" not in clicked
    assert clicked.endswith("[elements]\n@e8  button  Empty it")
    assert "2 in the basket" in opened.send("/click @e1")
    assert "2 in the basket" in opened.send("/find basket")


@pytest.mark.requirement("browser.type")
def test_type_replaces_what_a_field_holds(opened: Stage) -> None:
    listed = opened.send("/click")
    name, size, code = (element(listed, it) for it in ("Name", "Size", "Code"))
    typed = opened.send(f"/type {name} Ada Lovelace")
    assert typed.startswith(f"Typed into {name}\n---\n")
    assert "Hello Ada Lovelace" in typed
    assert f"{name}  field  Name  (= Ada Lovelace)" in typed
    assert "Entered" in opened.send(f"/type {name} 'Grace ' --enter")
    assert "Size L" in opened.send(f"/type {size} L")
    refused = opened.send(f"/type {size} XXL")
    assert refused.startswith(f"ERROR(INVALID_PARAMS): {size} has no such option.\noptions: S, M, L")
    assert "hunter" not in opened.daemon.exec(f"/type {code} hunter2", opened.topic).content


@pytest.mark.requirement("browser.click")
def test_click_of_a_link_leads_to_its_page(opened: Stage, site: Site) -> None:
    assert "About us" in opened.send("/click")
    clicked = opened.send("/click @about-us")
    assert clicked.startswith(
        f"Clicked @about-us, which leads to {site.url}/about\n---\n# About\n\nWe sell boots."
    )
    assert (opened.meta() or {})["uri"] == f"{site.url}/about"
    assert opened.send("/click @e1").startswith("ERROR(NOT_FOUND): @e1 is not on the page.")
    assert opened.send("/back").startswith(f"Back to {site.url}/app")
    window = element(opened.send("/click"), "In a window")
    assert "which leads to" in opened.send(f"/click {window}")


@pytest.mark.requirement("browser.screenshot")
def test_screenshot_is_a_file_with_a_description(opened: Stage) -> None:
    opened.send("/click @about-us")
    said = opened.send("/screenshot shots/about.png")
    data = (opened.daemon.home / "shots/about.png").read_bytes()
    assert data.startswith(b"\x89PNG")
    assert struct.unpack(">II", data[16:24]) == (1280, 800)
    assert said.startswith(f"Saved: shots/about.png ({len(data)} bytes, image/png)\n---\n# about.png\n")
    assert "1280" in said
    assert opened.send("/screenshot shots/about.png").startswith("ERROR(CONFLICT): Exists already")
    assert opened.send("/screenshot ../../x.png").startswith("ERROR(FILE_NOT_ALLOWED)")
    assert opened.send("/screenshot --full").startswith("Saved: screenshot-")


@pytest.mark.requirement("browser.click")
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("/click @e2", "ERROR(INVALID_TARGET): @e2 is disabled."),
        ("/click @e99", "ERROR(NOT_FOUND): @e99 is not on the page."),
        ("/click @none", "ERROR(NOT_FOUND): Shortcut not found: @none"),
        ("/click Add", "ERROR(INVALID_TARGET): Not a link of the page: Add"),
        ("/type text", "ERROR(INVALID_TARGET): A field is named first"),
        ("/type @e1 text", "ERROR(INVALID_TARGET): @e1 is no field that takes text."),
    ],
)
def test_what_cannot_be_done_is_said(opened: Stage, command: str, said: str) -> None:
    opened.send("/click")
    assert opened.send(command).startswith(said)


@pytest.mark.requirement("browser.click")
def test_without_a_page_of_the_web_nothing_is_done(stage: Stage) -> None:
    for command in ("/click", "/click @e1", "/type @e1 x", "/screenshot"):
        assert stage.send(command).startswith("ERROR(INVALID_TARGET)")


@pytest.mark.requirement("browser.live")
def test_many_topics_have_a_page_and_old_ones_are_loaded_again(shared: DaemonProcess, site: Site) -> None:
    stages = [Stage(daemon=shared, topic=f"web:live{number}") for number in range(6)]
    url = site.page("/app", APP)
    for stage in stages:
        stage.send(f"/open {url}")
        assert "Add to basket" in stage.send("/click")
    for stage in stages:
        assert stage.send("/open #shop").startswith("Opened")
        listed = stage.send("/click")
        assert "1 in the basket" in stage.send(f"/click {element(listed, 'Add to basket')}")
