"""A page opened with --browser is read as it is after its scripts have run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stringd.api.zones import Zone
from tests.web.chromium_pages import BrowserHarness, needs_chromium
from tests.web.server import Received, Site, answer, redirect

pytestmark = [needs_chromium, pytest.mark.timeout(90)]


@pytest.mark.requirement("browser.rendered")
def test_script_output(chromium: BrowserHarness, site: Site) -> None:
    site.page("/words", '["one", "two"]', "application/json")
    uri = site.page(
        "/app",
        """<!DOCTYPE html><title>Words</title><div id=app>Loading</div>
        <script type=module>
          const words = await (await fetch("words")).json();
          app.innerHTML = words.map((it) => `<p>${it} &amp; more</p>`).join("");
          document.title = "All words";
        </script>""",
    )
    loaded = chromium.load(uri)
    html = loaded.body.decode()
    assert '<div id="app"><p>one &amp; more</p><p>two &amp; more</p></div>' in html
    assert "<title>All words</title>" in html
    assert "<script" not in html
    assert (loaded.uri, loaded.media_type, loaded.zone) == (uri, "text/html; charset=utf-8", Zone.LOOPBACK)


@pytest.mark.long
@pytest.mark.requirement("browser.rest")
def test_late_script_output(chromium: BrowserHarness, site: Site) -> None:
    def late(_: Received) -> Iterator[bytes]:
        return site.slowly([answer("late")], 1.5)

    site.serve("/late", late)
    script = "setTimeout(async () => p.append(await (await fetch('/late')).text()), 300)"
    assert chromium.shown(site, f"<p id=p>It is </p><script>{script}</script>") == '<p id="p">It is late</p>'


@pytest.mark.requirement("browser.uri")
def test_uri_follows_history_api(chromium: BrowserHarness, site: Site) -> None:
    site.serve("/", redirect("/start"))
    site.page("/start", "<script>history.pushState({}, '', '/item/7?a=b#part')</script><p>Seven.")
    assert chromium.load(f"{site.url}/").uri == f"{site.url}/item/7?a=b"


@pytest.mark.requirement("browser.composed")
def test_open_shadow_trees_are_shown_with_slots(chromium: BrowserHarness, site: Site) -> None:
    body = """<x-card><b slot="name">Ada</b>Text<i slot="none">Unseen</i></x-card><script>
    customElements.define("x-card", class extends HTMLElement { connectedCallback() {
      this.attachShadow({mode: "open"}).innerHTML =
        "<h2><slot name=name></slot></h2><slot></slot><slot name=else><em>Nobody</em></slot>"; } });
    </script>"""
    assert chromium.shown(site, body) == (
        '<x-card><h2><slot name="name"><b slot="name">Ada</b></slot></h2><slot>Text</slot>'
        '<slot name="else"><em>Nobody</em></slot></x-card>'
    )


@pytest.mark.long
@pytest.mark.requirement("browser.composed")
def test_same_origin_frames_are_inlined(chromium: BrowserHarness, site: Site, other_site: Site) -> None:
    site.page("/in/side", "<p>Inside <a href=more>more</a><input id=i><script>i.value = 'typed'</script>")
    other = other_site.page("/strange", "<p>Strange.")
    body = f"<iframe src=in/side></iframe><iframe srcdoc='<p>Written'></iframe><iframe src={other}></iframe>"
    html = chromium.shown(site, body)
    assert f'<p>Inside <a href="{site.url}/in/more">more</a><input id="i" value="typed"></p>' in html
    assert "<p>Written</p>" in html
    assert "Strange" not in html


@pytest.mark.long
@pytest.mark.requirement("browser.fields")
def test_form_state_set_by_scripts(chromium: BrowserHarness, site: Site) -> None:
    body = """<form><input name=a><input name=b type=checkbox><input name=c type=checkbox checked>
    <input name=d type=password><select name=e><option>1<option selected>2</select>
    <textarea name=f></textarea>
    </form>
    <script>const [a, b, c, d, e, f] = document.forms[0].elements; a.value = "x<y"; b.checked = true;
    c.checked = false; d.value = "secret"; e.value = "1"; f.value = "\\nlines";</script>"""
    html = chromium.shown(site, body)
    assert '<input name="a" value="x&lt;y"><input name="b" type="checkbox" checked="">' in html
    assert '<input name="c" type="checkbox">' in html
    assert '<option selected="">1</option><option>2</option>' in html
    assert '<textarea name="f">\n\nlines</textarea>' in html
    assert "secret" not in html


@pytest.mark.long
@pytest.mark.requirement("browser.genuine")
def test_dom_clobbering_hides_nothing(chromium: BrowserHarness, site: Site) -> None:
    names = ("attributes", "childNodes", "localName", "shadowRoot", "nodeType", "ownerDocument")
    inputs = "".join(f"<input name={it}>" for it in names)
    body = (
        f"<form>{inputs}</form><form name=URL></form><img name=body><img name=documentElement><p>All there."
    )
    html = chromium.shown(site, body)
    assert all(f'<input name="{it}">' in html for it in names)
    assert "All there." in html


@pytest.mark.long
@pytest.mark.requirement("browser.genuine")
def test_patched_builtins_change_nothing(chromium: BrowserHarness, site: Site) -> None:
    forged = "Array.prototype.push = Array.prototype.join = String.prototype.replace = () => 'forged'"
    body = f"<p>True &lt; false</p><script>{forged}; Map = Set = null</script>"
    assert chromium.shown(site, body) == "<p>True &lt; false</p>"


@pytest.mark.long
@pytest.mark.requirement("browser.genuine")
def test_invalid_unicode_text(chromium: BrowserHarness, site: Site) -> None:
    body = "<p id=p></p><script>p.textContent = '\\ud83d!'; alert('\\udc00')</script>"
    assert chromium.shown(site, body) == '<p id="p">\ufffd!</p>'


@pytest.mark.long
@pytest.mark.requirement("browser.silent")
def test_dialogs_are_answered(chromium: BrowserHarness, site: Site) -> None:
    script = """alert(1); p.append(confirm('?'), prompt('?')); onbeforeunload = () => 'stay'; print();
        setTimeout(() => location = '/next')"""
    site.page("/next", "<p>Next.")
    assert chromium.shown(site, f"<p id=p></p><script>{script}</script>") == "<p>Next.</p>"


@pytest.mark.long
@pytest.mark.requirement("browser.failed")
@pytest.mark.parametrize(
    ("status", "code", "message"),
    [
        ("404 Not Found", "NOT_FOUND", "Not found: {}"),
        ("503 Service Unavailable", "LOAD_ERROR", "503 Service Unavailable: {}"),
        ("401 Unauthorized", "LOAD_ERROR", "401 Unauthorized: {}"),
    ],
)
def test_failure_status(chromium: BrowserHarness, site: Site, status: str, code: str, message: str) -> None:
    uri = site.serve("/x", answer("<p>Sorry.", status=status))
    refusal = chromium.refused(uri)
    assert (refusal.code, refusal.message) == (code, message.format(uri))


@pytest.mark.long
@pytest.mark.requirement("browser.failed")
@pytest.mark.parametrize("media_type", ["application/json", "text/plain", "application/pdf", "image/svg+xml"])
def test_non_html_is_refused(chromium: BrowserHarness, site: Site, media_type: str) -> None:
    body = "<svg xmlns='http://www.w3.org/2000/svg'/>" if "svg" in media_type else "{}"
    refusal = chromium.refused(site.page("/x", body, media_type))
    assert refusal.code == "LOAD_ERROR"


@pytest.mark.long
@pytest.mark.requirement("browser.silent")
def test_downloads_are_not_saved(chromium: BrowserHarness, site: Site) -> None:
    uri = site.serve("/x", answer(b"\0" * 99, media_type="application/octet-stream"))
    assert chromium.refused(uri).code == "LOAD_ERROR"


@pytest.mark.long
@pytest.mark.requirement("browser.cookies")
def test_cookies_are_passed_in_and_out(chromium: BrowserHarness, site: Site) -> None:
    site.page(
        "/login", "<script>document.cookie = 'seen=1; path=/'</script>", Set_Cookie="id=7; HttpOnly; Path=/"
    )
    chromium.load(f"{site.url}/login")
    assert {(it.name, it.value) for it in chromium.cookies} == {("seen", "1"), ("id", "7")}
    site.page("/logout", "<p>Bye.", Set_Cookie="id=; Max-Age=0; Path=/")
    chromium.load(f"{site.url}/logout")
    assert site.last.headers["Cookie"] in {"seen=1; id=7", "id=7; seen=1"}
    assert [it.name for it in chromium.cookies] == ["seen"]


@pytest.mark.long
@pytest.mark.requirement("browser.cookies")
def test_pages_share_no_storage(chromium: BrowserHarness, site: Site) -> None:
    site.page("/keep", "<script>localStorage.x = 'kept'; caches?.open('x')</script>")
    chromium.load(f"{site.url}/keep")
    assert chromium.shown(site, "<script>document.body.append(`${localStorage.x}`)</script>") == "undefined"
