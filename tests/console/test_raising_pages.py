"""What the pages of plugins raise is missing on a page, and ends no other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stringd.testing.process import DaemonProcess
from tests.console.following import following
from tests.console.signing_in import SignedIn, signed_in
from tests.extensions.raising import FAIL, RAISED
from tests.protocol.waits import eventually

PLUGIN = (
    FAIL
    + """
from markupsafe import Markup
from stringd_console import ConsolePage, PageTemplates, View

TEMPLATES = PageTemplates(texts={"page.html": "{{ region('shown') }}"})

def page(name):
    async def shown(): return {"shown": Markup("Shown")}
    async def regions(): fail(name)
    async def changes():
        fail(name)
        yield None
    async def stay():
        await asyncio.Event().wait()
        yield None
    async def view(request):
        wanted = request.path[0]
        if wanted == "view": fail(name)
        return View(
            title=f"{name} {wanted}", template="page.html", first_regions=shown,
            regions=regions if wanted == "regions" else shown,
            changes=changes if wanted == "changes" else stay,
        )
    async def act(fields): fail(name)
    return ConsolePage(
        name=name.lower(), title=name, templates=TEMPLATES, view=view, actions={"act": act},
        badge=lambda: fail(name), about_user=lambda user_id: fail(name),
    )

@hookimpl(optionalhook=True)
def stringd_console(runtime): return [page(it.__name__) for it in KINDS]
"""
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SignedIn]:
    folder = tmp_path_factory.mktemp("raising")
    (folder / "raising.py").write_text(PLUGIN, encoding="utf-8")
    options = ("--plugins", str(folder / "raising.py"))
    daemon = DaemonProcess(folder, options, {}, port=0, data_dir=None, operator=True)
    daemon.start()
    daemon.register("default", daemon.home)
    yield signed_in(daemon)
    daemon.kill()


def test_pages_are_shown_without_what_fails(browser: SignedIn) -> None:
    for path in ("topics", "users", *(f"{it.lower()}/changes" for it in RAISED)):
        assert browser.get(f"/console/{path}").status == 200
    logged = browser.daemon.stderr()
    for it in RAISED:
        assert f"the badge of the console's page {it.lower()} can't be shown" in logged
        assert f"the console's page {it.lower()} can't say anything about default" in logged


@pytest.mark.parametrize("raised", RAISED)
@pytest.mark.parametrize(("part", "problem"), [("regions", "rendered"), ("changes", "followed")])
def test_live_page_is_logged_as_failing(part: str, problem: str, raised: str, browser: SignedIn) -> None:
    title = f"{raised} {part} can't be {problem}"
    with following(browser, f"{raised.lower()}/{part}"):
        eventually(lambda: title in browser.daemon.stderr())
    with following(browser, f"{raised.lower()}/other") as page:
        page.wait(lambda it: it.text("shown") == "Shown")


@pytest.mark.parametrize("raised", RAISED)
def test_view_and_action_answer_with_an_error(raised: str, browser: SignedIn) -> None:
    assert browser.get(f"/console/{raised.lower()}/view").status == 500
    assert browser.act(f"{raised.lower()}/act").status == 500


def test_the_daemon_goes_on(browser: SignedIn) -> None:
    assert "a task tried to end the daemon" not in browser.daemon.stderr()
    assert browser.daemon.stop() == 0
