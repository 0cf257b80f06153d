"""With `web.private = "never"`, nothing on a private network or on this machine is reached from topics."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.actions.acting import Stage, act, running_daemon
from tests.web.server import Site

NEVER = {"STRINGD_WEB_PRIVATE": "never"}
REASON = "The setting web.private of this daemon is never."
SPELLINGS = (
    *("127.0.0.1", "localhost", "any.localhost", "127.1", "2130706433", "0x7f.1", "0.0.0.0"),
    *("[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::1]"),
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon that reaches public addresses only."""
    with running_daemon(tmp_path_factory.mktemp("shared"), **NEVER) as running:
        yield running


@pytest.mark.requirement("web.private.never")
@pytest.mark.parametrize("host", [*(f"{it}:{{port}}" for it in SPELLINGS), "10.0.0.1", "[fd00::1]"])
def test_typed_private_address_is_refused(stage: Stage, site: Site, host: str) -> None:
    url = f"http://{host.format(port=site.port)}/app.md"
    for cmd in ("/open {}", "/open {} --confirm", "/open {} --save got.md", "/save {} got.md", "/install {}"):
        answer = stage.send(cmd.format(url))
        assert answer.startswith("ERROR(NOT_TRUSTED): Only public addresses are reached, and "), cmd
        assert REASON in answer, cmd
    assert site.received == []


@pytest.mark.requirement("web.private.never")
def test_link_of_an_own_document_is_refused(stage: Stage, site: Site) -> None:
    stage.write(f"[Home]({site.url}/)\n")
    stage.send("/open page.md")
    assert stage.code("/open @home --confirm") == "NOT_TRUSTED"
    assert site.received == []


@pytest.mark.requirement("web.private.never.own")
def test_actions_of_own_documents_are_sent(stage: Stage, site: Site) -> None:
    site.page("/", "There")
    stage.open(act("go", f"GET {site.url}/"))
    assert "There" in stage.send("/act.go")


@pytest.mark.requirement("web.private.never.own")
def test_actions_of_apps_from_own_files_are_sent(stage: Stage, site: Site) -> None:
    site.page("/", "There")
    stage.write(f"---\nname: mine\n---\n# Mine\n\n{act('go', f'GET {site.url}/')}\n", "mine.md")
    description = {
        "openapi": "3.1.0",
        "info": {"title": "Made", "version": "1"},
        "servers": [{"url": site.url}],
        "paths": {"/": {"get": {"operationId": "go", "responses": {}}}},
    }
    stage.write(json.dumps(description), "made.json")
    for source in ("mine.md", "made.json"):
        stage.send(f"/install {source}")
        topic = Stage(daemon=stage.daemon, topic=f"app:{source.partition('.')[0]}")
        assert "There" in topic.send("/act.go"), source


@pytest.mark.requirement("web.private.never")
def test_apps_from_private_addresses_reach_nothing_there(tmp_path: Path, site: Site) -> None:
    app = f"---\nname: three\n---\n# Three\n\n{act('go', f'GET {site.url}/there')}\n"
    site.page("/three.md", app, "text/markdown")
    with running_daemon(tmp_path) as before:
        assert before.exec(f"/install {site.url}/three.md").head["ok"]
        assert before.exec(f"/open {site.url}/three.md", "web:page").head["ok"]
    site.received.clear()
    with running_daemon(tmp_path, **NEVER) as daemon:
        for topic, cmd in (
            ("app:three", "/act.go"),
            ("app:three", "/install --update three"),
            ("web:page", "/act.go"),
            ("web:page", "/act.go --confirm"),
            ("web:page", "/refresh"),
        ):
            answer = daemon.exec(cmd, topic)
            assert answer.head["code"] == "NOT_TRUSTED", (topic, cmd)
            assert REASON in answer.content, (topic, cmd)
    assert site.received == []


@pytest.mark.requirement("web.private.never")
def test_other_failures_are_told_as_ever(stage: Stage) -> None:
    assert stage.send("/open http://[x/").startswith("ERROR(INVALID_TARGET): Not a URL of the web")
