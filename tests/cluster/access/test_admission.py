"""Who is admitted: tokens, scopes, the users that a token may name, and the operator."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from stringd.testing.process import PROGRAM, DaemonProcess, parse_events
from tests.cluster.access.door_client import STRANGER, Doorstep, bearer, refusal
from tests.protocol.waits import eventually

REVOKED_WITHIN = 5.0


@pytest.mark.requirement("cluster.door.token")
def test_requests_want_a_token(door: Doorstep) -> None:
    refused = door.execute(None, **{"X-User-Id": "ann"})
    assert (refused.status, refused.json()["error"]) == (401, "TOKEN_REQUIRED")
    assert refused.headers["WWW-Authenticate"] == 'Bearer realm="stringd"'
    assert refusal(door.execute(None)) == refusal(refused)
    assert refusal(door.ask("GET", "/nothing-there")) == refusal(refused)
    admitted = door.execute(door.token("ann"))
    assert parse_events(admitted).head["user_id"] == "ann"


@pytest.mark.requirement("cluster.door.open")
def test_health_is_open(door: Doorstep) -> None:
    reply = door.ask("GET", "/health")
    assert (reply.status, reply.json()["ok"], reply.json()["protocol"]) == (200, True, "0.2")
    assert door.ask("GET", "/health", headers=bearer(STRANGER)).status == 200
    assert door.ask("GET", "/health", headers={"X-User-Id": "ann"}).status == 200


@pytest.mark.requirement("cluster.door.alike")
def test_tokens_that_are_not_valid_are_refused_alike(door: Doorstep) -> None:
    expired, revoked = (door.cluster.token(user) for user in ("dora", "edna"))
    door.cluster.sql("UPDATE stringd.tokens SET expires = now() - interval '1s' WHERE user_id = 'dora'")
    door.cluster.revoke("edna")
    credentials = (
        *(f"Bearer {it}" for it in (STRANGER, expired, revoked, "", "strd_", "x" * 5000, "strd_\N{SNOWMAN}")),
        *("Basic YW5uOmFubg==", "Bearer", door.token("ann"), f"Token {door.token('ann')}"),
    )
    replies = {refusal(door.execute(None, Authorization=it.encode().decode("latin-1"))) for it in credentials}
    assert [(status, b"TOKEN_INVALID" in body) for status, _, body in replies] == [(401, True)]


@pytest.mark.requirement("cluster.door.revoked")
def test_a_token_in_use_is_refused_soon_after_it_is_revoked(door: Doorstep) -> None:
    token = door.cluster.token("fred")
    assert door.execute(token).status == 401, "fred is not registered"
    assert door.execute(token).headers["X-Error-Code"] == "UNKNOWN_USER"
    door.cluster.revoke("fred")
    eventually(lambda: door.execute(token).headers["X-Error-Code"] == "TOKEN_INVALID", within=REVOKED_WITHIN)


@pytest.mark.requirement("cluster.door.scope")
def test_a_narrow_token_is_told_what_it_lacks(door: Doorstep) -> None:
    read = door.token("ann", "read")
    assert door.ask("GET", "/sessions", token=read).status == 200
    refused = door.execute(read)
    assert (refused.status, refused.json()["error"]) == (403, "SCOPE_REQUIRED")
    assert refused.headers["WWW-Authenticate"] == 'Bearer error="insufficient_scope", scope="exec"'
    assert door.ask("GET", "/status", token=door.token("ann")).status == 403
    assert door.ask("GET", "/status", token=door.token("root", "admin")).status == 200


@pytest.mark.requirement("cluster.door.users")
def test_a_token_is_for_its_own_user(door: Doorstep) -> None:
    ann = door.token("ann")
    assert door.execute(ann, **{"X-User-Id": " ann "}).status == 200
    others = [door.execute(ann, **{"X-User-Id": it}) for it in ("bob", "nobody", "ann, bob", "Ann")]
    assert len({refusal(it) for it in others}) == 1
    assert (others[0].status, others[0].json()["error"]) == (403, "SCOPE_REQUIRED")
    assert "user ann" in others[0].json()["message"]


@pytest.mark.requirement("cluster.door.users")
def test_lists_are_of_the_tokens_user(door: Doorstep) -> None:
    tokens = {user: door.token(user) for user in ("ann", "bob")}
    for token in tokens.values():
        assert door.execute(token).status == 200
    for user, token in tokens.items():
        for query in ("", f"?user_id={user}", "?user_id=", f"?user%5Fid={user}&user_id=", "?user_id"):
            listed = door.ask("GET", f"/sessions{query}", token=token).json()["sessions"]
            assert {it["user_id"] for it in listed} == {user}, query


@pytest.mark.requirement("cluster.door.admin")
def test_an_admin_acts_for_any_user(door: Doorstep) -> None:
    admin = door.token("root", "admin")
    assert parse_events(door.execute(admin, **{"X-User-Id": "bob"})).head["user_id"] == "bob"
    assert door.execute(admin, **{"X-User-Id": "nobody"}).headers["X-Error-Code"] == "UNKNOWN_USER"
    body = {"user_id": "ann", "topic": "file:made-by-root"}
    assert door.ask("POST", "/sessions", body, token=admin).json()["created"] is True
    listed = door.ask("GET", "/sessions?user_id=ann", token=admin).json()["sessions"]
    assert "file:made-by-root" in {it["topic"] for it in listed}
    assert door.ask("DELETE", "/sessions/ann/file:made-by-root", token=admin).json()["deleted"] is True
    several = door.ask("GET", "/mcp?user=ann", token=admin, headers={"X-User-Id": "bob"})
    assert (several.status, several.headers["X-Error-Code"]) == (400, "INVALID_REQUEST")


@pytest.mark.requirement("cluster.door.operator")
def test_the_operator_is_an_admin(door: Doorstep) -> None:
    operator = {"X-Operator-Token": door.node.operator_token or ""}
    assert door.ask("GET", "/status", headers=operator).status == 200
    assert parse_events(door.execute(None, **operator, **{"X-User-Id": "bob"})).head["user_id"] == "bob"
    assert door.execute(None, **operator).headers["X-Error-Code"] == "USER_REQUIRED"
    wrong = door.ask("GET", "/status", headers={"X-Operator-Token": "wrong"})
    assert (wrong.status, wrong.json()["error"]) == (401, "TOKEN_INVALID")


@pytest.mark.requirement("cluster.door.operator")
def test_an_admins_token_is_an_operators(door: Doorstep) -> None:
    admin, exec_only = door.token("root", "admin"), door.token("ann")
    asked = door.ask("POST", "/console/tickets", token=admin)
    assert asked.json()["url"].startswith("http://127.0.0.1:")
    assert door.ask("POST", "/console/tickets", headers={"X-Operator-Token": admin}).status == 200
    assert door.ask("POST", "/console/tickets", token=exec_only).status == 403
    assert door.ask("POST", "/console/tickets", headers={"X-Operator-Token": exec_only}).status == 403


@pytest.mark.requirement("cluster.door.ambiguous")
@pytest.mark.parametrize("name", ["Authorization", "X-User-Id", "X-Operator-Token", "Host"])
def test_a_header_that_is_sent_twice_is_refused(door: Doorstep, name: str) -> None:
    values = {"Authorization": f"Bearer {door.token('ann')}", "X-User-Id": "ann", "Host": "localhost"}
    lines = [f"{it}: {value}" for it, value in values.items()]
    lines += [f"{name}: {values.get(name, 'x')}"] * (1 if name in values else 2)
    reply = door.raw("\r\n".join(("GET /sessions HTTP/1.1", *lines, "", "")))
    assert b" 400 " in reply.splitlines()[0]
    assert b"INVALID_REQUEST" in reply


@pytest.mark.requirement("cluster.door.hop")
def test_what_nodes_tell_each_other_is_not_taken_from_clients(door: Doorstep) -> None:
    caller = '{"user":"bob","token":"","token_user":"bob","scopes":["admin"],"home":true}'
    pretended = {"X-Stringd-Hop": caller}
    assert door.execute(None, **pretended).status == 401
    headers = {**pretended, "Connection": "keep-alive, X-User-Id"}
    assert parse_events(door.execute(door.token("ann"), **headers)).head["user_id"] == "ann"


@pytest.mark.requirement("cluster.door.operator")
def test_the_operator_gets_a_link_at_the_nodes_own_machine(door: Doorstep) -> None:
    made = console(door, f"{door.node.operator_token}\n")
    assert (made.returncode, made.stderr) == (0, "")
    assert made.stdout.startswith(f"http://127.0.0.1:{door.node.port}/console#token=")
    refused = console(door, "wrong\n")
    assert refused.returncode == 1
    assert "not valid" in refused.stderr


def console(door: Doorstep, token: str) -> subprocess.CompletedProcess[str]:
    """Run `stringd console` with what is typed as the operator's token."""
    return subprocess.run(
        [*PROGRAM, "--port", str(door.node.port), "console", "--token-fd", "0"],
        input=token,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
        env={**os.environ, "HOME": str(door.node.data_dir.parent)},
    )


@pytest.mark.requirement("cluster.door.memory")
@pytest.mark.parametrize("is_known", [False, True])
def test_long_paths_are_not_remembered(door: Doorstep, is_known: bool) -> None:
    token = door.token("ann") if is_known else None
    before = _kibibytes(door.node)
    for number in range(800):
        door.ask("POST", f"/questions/{number}{'x' * 60_000}", token=token)
    assert _kibibytes(door.node) - before < 20 * 1024


def _kibibytes(daemon: DaemonProcess) -> int:
    """Return how much memory a daemon takes."""
    status = Path(f"/proc/{daemon.process.pid}/status").read_text(encoding="utf-8")
    return int(next(it for it in status.splitlines() if it.startswith("VmRSS:")).split()[1])
