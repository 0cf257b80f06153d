"""Screens that a plugin shows for a topic type of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from stringd.testing.process import DaemonProcess
from tests.console.following import following
from tests.console.signing_in import SignedIn, signed_in

pytestmark = pytest.mark.timeout(60)

PLUGIN = """
import asyncio

from stringd.plugin import Command, Reply, TopicType, hookimpl
from stringd_console import ScreenPicture, ScreenRow, ScreenState, StyledCells, TextStyle, TopicScreen

shown, changed = ["<b>ready</b>"], asyncio.Event()


async def show(invocation):
    shown.append(invocation.line.arguments)
    changed.set()
    return Reply.confirmation("shown")


async def picture(user_id, topic):
    rows = [(StyledCells(style=TextStyle(), cells=tuple(text)),) for text in (user_id, topic, *shown)]
    return ScreenPicture(
        state=ScreenState.RUNNING,
        rows=tuple(ScreenRow(key=str(number), runs=runs) for number, runs in enumerate(rows)),
        program="lamp",
    )


async def changes(user_id, topic):
    while True:
        await changed.wait()
        changed.clear()
        yield None


@hookimpl
def stringd_topic_types():
    yield TopicType(name="lamp", summary="A lamp.")


@hookimpl
def stringd_commands():
    names = frozenset({"lamp"})
    yield Command(name="show", summary="Show.", usage="/show text", run=show, topic_types=names)


@hookimpl(optionalhook=True)
def stringd_console_screens(runtime):
    yield TopicScreen(
        name="lamp",
        picture=picture,
        changes=changes,
        line_command=lambda text: f"/show line {text}",
        keys_command=lambda typed: "/show keys " + " ".join(it.key or it.text for it in typed),
        secret_command=lambda text: "/show secret",
    )
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SignedIn]:
    """A browser of a daemon with lamps."""
    folder = tmp_path_factory.mktemp("lamps")
    (folder / "lamps.py").write_text(PLUGIN, encoding="utf-8")
    options = ("--plugins", str(folder / "lamps.py"))
    daemon = DaemonProcess(folder, options, {}, port=0, data_dir=None, operator=True)
    daemon.start()
    daemon.register()
    yield signed_in(daemon)
    daemon.kill()


@pytest.mark.requirement("console.screen.hook")
def test_a_topic_type_of_a_plugin_has_a_screen(browser: SignedIn) -> None:
    browser.daemon.exec("/info", "lamp:one")
    with following(browser, "topics/default/lamp:one") as page:
        assert page.wait_screen("ready").splitlines() == ["default", "lamp:one", "<b>ready</b>"]
        browser.act("topics/line", user="default", topic="lamp:one", text="on")
        page.wait_screen("line on")
        keys = json.dumps([{"text": "a"}, {"key": "Ctrl+Up"}])
        assert browser.act("topics/keys", user="default", topic="lamp:one", keys=keys).status == 200
        page.wait_screen("keys a Ctrl+Up")
        assert browser.act("topics/secret", user="default", topic="lamp:one", text="x").status == 200
        page.wait_screen("secret")
