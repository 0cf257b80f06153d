"""The door at a node that does not have the user's home: what it admits is as good as at the owner."""

from __future__ import annotations

from contextlib import closing
from http.client import HTTPConnection
from urllib.parse import quote

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from stringd.testing.process import DaemonProcess, parse_events
from tests.cluster.access.door_client import Doorstep, bearer, refusal
from tests.cluster.nodes import Cluster
from tests.protocol.waits import eventually

pytestmark = pytest.mark.long

REVOKED_WITHIN = 5.0
# Without care, the third is the second in another encoding.
NAMES = ("\N{GREEK CAPITAL LETTER OMEGA} & 1%41", "\xe9", "\xc3\xa9")


@pytest.fixture
def doors(cluster: Cluster) -> tuple[Doorstep, Doorstep]:
    """The owner of ann's home, and another node."""
    nodes = [cluster.node(name) for name in ("one", "two")]
    cluster.register("ann")
    owner = cluster.await_owner("ann", bool)
    first, second = sorted(nodes, key=lambda it: it.name != owner)
    return Doorstep(cluster, first), Doorstep(cluster, second)


@pytest.mark.requirement("cluster.door.revoked")
def test_a_token_is_refused_everywhere_after_it_was_revoked(doors: tuple[Doorstep, Doorstep]) -> None:
    owner, other = doors
    token = owner.cluster.token("ann")
    assert [parse_events(it.execute(token)).head["user_id"] for it in doors] == ["ann", "ann"]
    stream = HTTPConnection("127.0.0.1", other.node.port, timeout=20)
    url = f"ws://127.0.0.1:{other.node.port}/ws"
    with closing(stream), connect(url, additional_headers=bearer(token)) as socket:
        stream.request("GET", "/events", headers=bearer(token))
        events = stream.getresponse()
        assert events.readline()
        owner.cluster.revoke("ann")
        eventually(lambda: {it.execute(token).status for it in doors} == {401}, within=REVOKED_WITHIN)
        assert len({refusal(it.execute(token)) for it in doors}) == 1
        events.read()
        with pytest.raises(ConnectionClosed):
            socket.recv(REVOKED_WITHIN)


@pytest.mark.requirement("cluster.door.admin")
def test_an_admin_changes_what_belongs_to_a_home_at_any_node(doors: tuple[Doorstep, Doorstep]) -> None:
    admin = doors[0].cluster.token("root", "admin")
    for it in doors:
        secret = {"name": "KEY", "value": it.node.name, "user_id": "ann"}
        assert it.ask("POST", "/secrets", secret, token=admin).status == 200
        listed = [asked.ask("GET", "/secrets", token=admin).json()["secrets"] for asked in doors]
        assert [[each["name"] for each in names] for names in listed] == [["KEY"]] * len(listed)
        assert it.ask("DELETE", "/secrets/KEY?user_id=ann", token=admin).json()["deleted"] is True
        topic = f"file:at-{it.node.name}"
        created = it.ask("POST", "/sessions", {"user_id": "ann", "topic": topic}, token=admin)
        assert created.json()["created"] is True
        assert it.ask("DELETE", f"/sessions/ann/{topic}", token=admin).json()["deleted"] is True
        user = {"id": f"new-{it.node.name}", "home": str(it.cluster.home("new"))}
        assert it.ask("POST", "/users", user, token=admin).json()["created"] is True
        assert it.ask("DELETE", f"/users/{user['id']}", token=admin).json()["deleted"] is True


@pytest.mark.requirement("cluster.secrets.latest")
def test_the_secret_that_was_set_last_wins_at_all_nodes(doors: tuple[Doorstep, Doorstep]) -> None:
    admin = doors[0].cluster.token("root", "admin")
    value = "SELECT value FROM stringd.secrets WHERE name = 'KEY'"
    for number in range(20):
        # Each node has set another value before, and may not have heard of the other's.
        for it in doors:
            secret = {"name": "KEY", "value": it.node.name}
            created = it.ask("POST", "/secrets", secret, token=admin).json()["created"]
            assert created is (number == 0 and it is doors[0])
        assert doors[0].cluster.sql(value) == doors[1].node.name
    for it, deleted in zip(doors, (True, False), strict=True):
        assert it.ask("DELETE", "/secrets/KEY", token=admin).json()["deleted"] is deleted


@pytest.mark.requirement("cluster.door.users")
@pytest.mark.parametrize("user", NAMES)
def test_users_have_any_name(doors: tuple[Doorstep, Doorstep], user: str) -> None:
    token = doors[0].new_user(user)
    sent = user.encode().decode("latin-1")
    for it in doors:
        for headers in ({}, {"X-User-Id": sent}):
            assert parse_events(it.execute(token, **headers)).head["user_id"] == user
        for query in ("", f"?user_id={quote(user)}"):
            listed = it.ask("GET", f"/sessions{query}", token=token).json()["sessions"]
            assert {session["user_id"] for session in listed} == {user}
        # It refuses users that are not registered.
        with connect(f"ws://127.0.0.1:{it.node.port}/mcp/stdio", additional_headers=bearer(token)):
            pass
        assert it.ask("DELETE", f"/sessions/{quote(user, safe='')}/file:x", token=token).status == 200


@pytest.mark.requirement("cluster.door.users")
def test_other_users_are_refused_before_anything_is_passed_on(doors: tuple[Doorstep, Doorstep]) -> None:
    token = doors[0].cluster.token("ann")
    refused = {refusal(it.execute(token, **{"X-User-Id": user})) for it in doors for user in ("bob", "eve")}
    assert [status for status, _, _ in refused] == [403]
    assert doors[0].cluster.sql("SELECT count(*) FROM stringd.homes WHERE id IN ('bob', 'eve')") == "0"


@pytest.mark.requirement("cluster.door.strangers")
def test_who_is_not_registered_gets_no_home(doors: tuple[Doorstep, Doorstep], daemon: DaemonProcess) -> None:
    owner, other = doors
    admin = owner.cluster.token("root", "admin")
    for method, path, body in (
        ("POST", "/exec", {"cmd": "/info"}),
        ("POST", "/cancel", {"topic": "file:x"}),
        ("POST", "/sessions", {"user_id": "nobody", "topic": "file:x"}),
        ("POST", "/secrets", {"user_id": "nobody", "name": "KEY", "value": "x"}),
        ("GET", "/sessions?user_id=nobody", None),
        ("DELETE", "/sessions/nobody/file:x", None),
        ("DELETE", "/secrets/KEY?user_id=nobody", None),
        ("DELETE", "/users/nobody", None),
        ("POST", "/users", {"id": "nobody", "home": "relative"}),
        ("POST", "/users", {"id": "nobody", "home": "/", "allowedPaths": "/"}),
    ):
        headers = {"X-User-Id": "nobody"} if path in {"/exec", "/cancel"} else {}
        single = daemon.request(method, path, body, headers)
        for it in doors:
            reply = it.ask(method, path, body, token=admin, headers=headers)
            assert (reply.status, reply.body) == (single.status, single.body), path
    assert other.execute(other.cluster.token("nobody")).headers["X-Error-Code"] == "UNKNOWN_USER"
    assert owner.cluster.sql("SELECT id FROM stringd.homes") == "ann"
    # Whoever was registered just now at one node is known at the other.
    for number in range(10):
        user = {"id": f"new-{number}", "home": str(owner.cluster.home("new"))}
        assert owner.ask("POST", "/users", user, token=admin).status == 200
        assert other.execute(admin, **{"X-User-Id": user["id"]}).status == 200
    assert not [it.node.name for it in doors if "Traceback" in it.node.stderr()]
