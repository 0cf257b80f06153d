"""The app in a running daemon, against a server that answers like the real one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from gmail import TOKEN, Gmail

from stringd.testing.process import DaemonProcess

TOPIC = "app:gmail"


@pytest.fixture
def service(daemon: DaemonProcess) -> Iterator[Gmail]:
    with Gmail() as running:
        assert daemon.exec(f'/set $GMAIL_API = "{running.url}"', TOPIC).head["ok"]
        yield running


@pytest.fixture
def account(daemon: DaemonProcess, service: Gmail) -> Gmail:
    assert daemon.exec(f'/set $GMAIL_TOKEN = "{TOKEN}"', TOPIC).head["ok"]
    return service


def said(daemon: DaemonProcess, cmd: str, topic: str = TOPIC) -> str:
    return daemon.exec(cmd, topic).content.partition("\n")[2]


def test_missing_token_explains_how_to_set_it(daemon: DaemonProcess, service: Gmail) -> None:
    page = said(daemon, "/open app:gmail")
    assert '[!] Missing required env: $GMAIL_TOKEN — /set $GMAIL_TOKEN = "..."' in page
    reply = daemon.exec("/act.list", TOPIC)
    assert reply.head["code"] == "ENV_REQUIRED"
    assert "an OAuth access token" in reply.content


def test_inbox_is_listed_on_open(daemon: DaemonProcess, account: Gmail) -> None:
    page = said(daemon, "/open app:gmail")
    assert page.endswith("\n---\n# in:inbox\n\n- @mail-1\n- @mail-2\n\nnext: /act.read @mail-1")


def test_search_results_are_numbered(daemon: DaemonProcess, account: Gmail) -> None:
    said(daemon, "/act.list")
    assert said(daemon, "/act.list from:bob") == "# from:bob\n\n- @mail-1\n\nnext: /act.read @mail-1"
    assert "Subject: Invoice" in said(daemon, "/act.read @mail-1")


def test_read_a_message(daemon: DaemonProcess, account: Gmail) -> None:
    said(daemon, "/act.list")
    assert said(daemon, "/act.read @mail-1") == (
        "From: Ada <ada@example.com>\nTo: me@example.com\nDate: Wed, 18 Nov 2026 09:00:00 +0000\n"
        "Subject: Friday\n\nAre you there on Friday? ✓"
    )


def test_send_a_message_unchanged(daemon: DaemonProcess, account: Gmail) -> None:
    text = 'It\'s "fine" — $5, {x} and ünïcode'
    typed = text.replace('"', '\\"').replace("$5", "$5").replace("{x}", "\\{x}")
    answer = said(daemon, f'/act.send ada@example.com --subject "Grüße" -b "{typed}\nsecond line"')
    assert answer == "Sent to ada@example.com: 18c9"
    (sent,) = account.sent
    assert (sent["To"], sent["Subject"]) == ("ada@example.com", "Grüße")
    assert sent.get_content() == f"{text}\nsecond line\n"


def test_line_breaks_cannot_inject_headers(daemon: DaemonProcess, account: Gmail) -> None:
    reply = daemon.exec('/act.send ada@example.com --subject "x\nBcc: eve@example.com" --text hi', TOPIC)
    assert (reply.head["code"], account.sent) == ("INVALID_PARAMS", [])


def test_trash_a_message(daemon: DaemonProcess, account: Gmail) -> None:
    said(daemon, "/act.list")
    assert said(daemon, "/act.trash @mail-2") == "Thrown away: 18c2"
    assert list(account.mailbox) == ["18c1"]


@pytest.mark.parametrize("call", ["/act.list", "/act.read 18c1", "/act.send a@b.c s t", "/act.trash 18c1"])
def test_service_errors_are_shown_without_the_token(daemon: DaemonProcess, service: Gmail, call: str) -> None:
    daemon.exec('/set $GMAIL_TOKEN = "ya29.expired"', TOPIC)
    reply = daemon.exec(call, TOPIC)
    assert reply.head["code"] == "ACTION_FAILED"
    assert "Request had invalid authentication credentials." in reply.content
    assert "ya29" not in reply.content


@pytest.mark.parametrize("name", ["18c7", "../../labels", "18c1/../18c2", "18c1?alt=media"])
def test_missing_message_is_reported(daemon: DaemonProcess, account: Gmail, name: str) -> None:
    reply = daemon.exec(f"/act.read {name}", TOPIC)
    assert reply.head["code"] == "ACTION_FAILED"
    assert "Requested entity was not found." in reply.content


def test_accounts_are_configurations(daemon: DaemonProcess, account: Gmail) -> None:
    daemon.exec('/set $GMAIL_TOKEN = "ya29.other"', "app:gmail:work")
    assert daemon.exec("/act.list", "app:gmail:work").head["code"] == "ACTION_FAILED"
    assert daemon.exec("/act.list", TOPIC).head["ok"]
