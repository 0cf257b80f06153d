"""Remote servers: installation by URL, sessions, sign-in, and where they may lead."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest

from stringd.testing.process import DaemonProcess
from tests.mcp_apps.remote_server import RemoteServer
from tests.mcp_apps.serving import call, refused
from tests.questions.people import Operator, People, until

STORE, TOPIC = "file:main", "app:far"


@pytest.mark.requirement("mcp.apps.install.url")
def test_a_url_becomes_an_app(raw: DaemonProcess, remote: RemoteServer) -> None:
    shown = call(raw, f"/install mcp {remote.url} --as far", STORE)
    assert f"talks to:\n- {urlsplit(remote.url).netloc}" in shown
    assert "offers: 1 tool (protocol 2025-03-26)" in shown
    assert call(raw, "/act.echo hello", TOPIC) == "hello"
    # The server forgets its session, so that another one is opened.
    remote.session = "session-2"
    assert call(raw, "/act.echo again", TOPIC).endswith("\nagain")
    remote.body = "x" * (11 * 1024 * 1024)
    refused(raw, "/act.echo huge", "ACTION_FAILED", TOPIC)
    remote.body = ""
    call(raw, "/uninstall far", STORE)


@pytest.mark.requirement("mcp.apps.remote.policy")
def test_the_daemon_itself_is_no_server(raw: DaemonProcess) -> None:
    shown = refused(raw, f"/install mcp {raw.url}/mcp --as far", "NOT_TRUSTED", STORE)
    assert "stringd itself" in shown


@pytest.mark.requirement("mcp.apps.remote.policy")
def test_a_server_leads_to_the_daemon_neither(raw: DaemonProcess, operator: Operator) -> None:
    with RemoteServer(wants_token=True, metadata=raw.url) as remote:
        refused(raw, f"/install mcp {remote.url} --as far", "NOT_TRUSTED", STORE)


@pytest.mark.requirement("mcp.apps.remote.sign_in")
@pytest.mark.parametrize("returns", ["by itself", pytest.param("by hand", marks=pytest.mark.long)])
def test_a_person_signs_in(raw: DaemonProcess, operator: Operator, returns: str) -> None:
    with RemoteServer(wants_token=True) as remote:
        waiting = People(raw).send(f"/install mcp {remote.url} --as far", STORE)
        question = until(lambda: waiting.done() or operator.listed(), "no question")
        assert isinstance(question, list), waiting.result(1).content
        assert question[0]["title"] == "Sign in to 127.0.0.1"
        assert question[0]["trust"] == "person"
        address = re.findall(r"http://\S+/authorize\S+", question[0]["body"])[0]
        back = urlsplit(remote.authorize(address))
        assert f"{back.scheme}://{back.netloc}" == raw.url
        if returns == "by itself":
            assert raw.request("GET", f"{back.path}?{back.query}").text.startswith("Signed in.")
            assert raw.request("GET", f"{back.path}?{back.query}").status == 404
        else:
            assert operator.decide(question[0], "https://x.example/").status == 400
            assert operator.decide(question[0], f"{raw.url}{back.path}?{back.query}").status == 200
        assert "Installed app:far" in waiting.result(20).content
        # The token is kept, so that nobody is asked again.
        assert call(raw, "/act.echo hello", TOPIC) == "hello"
        kept = (raw.data_dir / "secrets.json").read_text(encoding="utf-8")
        assert remote.tokens[0] in kept
        assert remote.tokens[0] not in call(raw, "/info", TOPIC)
        call(raw, "/uninstall far", STORE)
        assert remote.tokens[0] not in (raw.data_dir / "secrets.json").read_text(encoding="utf-8")


@pytest.mark.requirement("mcp.apps.remote.sign_in")
def test_a_header_from_the_store_signs_in_too(raw: DaemonProcess) -> None:
    with RemoteServer(wants_token=True) as remote:
        remote.tokens.append("key-from-the-store")
        typed = "--env 'Authorization=Bearer {$FAR_TOKEN}'"
        shown = call(raw, f"/install mcp {typed} {remote.url} --as far", STORE)
        assert '/set $FAR_TOKEN = "..."' in shown
        call(raw, '/set $FAR_TOKEN = "key-from-the-store"', TOPIC)
        call(raw, "/act.connect", TOPIC)
        call(raw, "/open app:far", TOPIC)
        assert call(raw, "/act.echo hello", TOPIC) == "hello"
        call(raw, "/uninstall far", STORE)
