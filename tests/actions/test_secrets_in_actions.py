"""The `$NAME`s of an app in its actions: where they are sent, and where they never appear."""

from __future__ import annotations

import pytest

from stringd.testing.process import DaemonProcess
from tests.actions.acting import Stage, act
from tests.actions.conftest import NUMBERS
from tests.actions.service import Service, serving

KEY = "s3cret/key+1"


@pytest.fixture
def stage(shared: DaemonProcess) -> Stage:
    """An app's topic that knows a key."""
    stage = Stage(daemon=shared, topic=f"app:bank-{next(NUMBERS)}")
    stage.send(f'/set $KEY = "{KEY}"')
    return stage


@pytest.mark.requirement("http.secret.order")
def test_secrets_are_resolved_in_declarations_only(stage: Stage, service: Service) -> None:
    stage.write("a file's $KEY", "note.txt")
    stage.open(
        act(
            "x",
            f"POST {service.url}/x?k=$KEY -H 'Authorization: Bearer $KEY'",
            "  a: string",
            "  f: path",
            "  body:",
            '    {"k":"$KEY","a":"{a}","f":"{f|file}","cost":"5$ or $5 or \\$KEY"}',
        )
    )
    stage.send('/set {x} = "a variable\'s $KEY"')
    stage.send(r"/act.x '\$KEY {x}' note.txt")
    assert service.last.target == f"/x?k={KEY}"
    assert service.last.headers["Authorization"] == f"Bearer {KEY}"
    assert service.last.json() == {
        "k": KEY,
        "a": "$KEY a variable's $KEY",
        "f": "a file's $KEY",
        "cost": "5$ or $5 or $KEY",
    }


@pytest.mark.requirement("http.redirects.strangers")
def test_requests_with_secrets_are_not_redirected_elsewhere(stage: Stage, service: Service) -> None:
    parameters = ("  a: string", '  key: string = "$KEY"')
    headers = "-H 'X-Key: k $KEY' -H 'X-Given: {key}' -H 'X-Plain: p'"
    with serving() as other:
        service.redirect("/away", f"{other.url}/new")
        service.redirect("/away-with-body", f"{other.url}/new", 307)
        service.redirect("/back", "/away")
        stage.open(
            act("x", f"GET {service.url}/{{a}} {headers}", *parameters),
            act("y", f'POST {service.url}/{{a}} -d \'{{"k":"$KEY"}}\'', *parameters),
            act("z", f'POST {service.url}/{{a}} -d \'{{"k":"{{key}}"}}\'', *parameters),
        )
        stage.send("/act.x back")
        assert [it.headers["X-Key"] for it in service.received] == [f"k {KEY}", f"k {KEY}"]
        assert (other.last.headers["X-Key"], other.last.headers["X-Given"]) == (None, None)
        assert other.last.headers["X-Plain"] == "p"
        for name in ("y", "z"):
            assert stage.code(f"/act.{name} away-with-body") == "ACTION_FAILED"
        assert len(other.received) == 1


@pytest.mark.requirement("secret.unseen")
def test_replies_and_log_mask_secrets(stage: Stage, service: Service) -> None:
    service.answer("/fails", f"no such key: {KEY}", status=403)
    stage.open(
        act("x", f"GET {service.url}/ok?k=$KEY", '  k: string = "$KEY"'),
        act("fails", f"GET {service.url}/fails?k=$KEY"),
        act("run", 'CLI echo "bad $KEY"; exit 3'),
        act("gone", "GET http://127.0.0.1:9/$KEY"),
        act("number", f"GET {service.url}/ok", '  n: number = "$KEY"'),
    )
    shown = [
        stage.send(cmd)
        for cmd in (
            "/act",
            "/act.x --help",
            "/info",
            "/act.x",
            "/act.fails",
            "/act.run",
            "/act.gone",
            "/refresh",
        )
    ]
    assert not [text for text in shown if KEY in text or "s3cret%2Fkey%2B1" in text]
    assert shown[3].startswith(f"Opened {service.url}/ok?k=$KEY")
    assert shown[4].splitlines()[1] == "no such key: $KEY"
    assert shown[5].endswith("\n---\nbad $KEY")
    assert KEY not in stage.daemon.stderr()


@pytest.mark.requirement("http.secret.header")
def test_secret_with_a_line_break_is_refused_in_a_header(stage: Stage, service: Service) -> None:
    stage.send("/set\n```$KEY\na\nX-Admin: 1\n```")
    stage.open(act("x", f"GET {service.url}/x -H 'A: $KEY'"))
    assert stage.code("/act.x") == "INVALID_PARAMS"
    assert not service.received
