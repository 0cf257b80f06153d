"""Users: registration, its rules, removal."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.protocol.waits import session
from tests.protocol.wire import request

if TYPE_CHECKING:
    from pathlib import Path

    from stringd.testing.process import DaemonProcess
    from tests.protocol.conftest import Connect

ISO_MILLISECONDS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
WRONG_IDS = [5, True, [], {}, 1.5]
WRONG_HOMES = [5, True, [], {}, "relative", "./relative", "~", "~/home", "nul\0"]
WRONG_ALLOWED_PATHS = ["/tmp", 5, True, {}, [5], ["relative"], [""], [None], ["/ok", "~/x"]]


def users(daemon: DaemonProcess) -> dict[str, dict[str, Any]]:
    return {user["id"]: user for user in daemon.request("GET", "/users").json()["users"]}


def register(daemon: DaemonProcess, **body: Any) -> tuple[int, Any]:
    answer = daemon.request("POST", "/users", body)
    return answer.status, answer.json()


@pytest.mark.requirement("users.list")
def test_no_users_is_an_empty_list(start_daemon: Any) -> None:
    answer = start_daemon().request("GET", "/users")
    assert (answer.status, answer.json()) == (200, {"users": []})


@pytest.mark.requirement("users.list", "users.register", "users.created_at")
def test_registered_user_is_listed(shared: DaemonProcess, tmp_path: Path) -> None:
    status, answer = register(shared, id="new", home=str(tmp_path))
    assert (status, answer) == (200, {"user_id": "new", "home": str(tmp_path), "created": True})
    listed = users(shared)["new"]
    created_at = listed.pop("createdAt")
    assert listed == {"id": "new", "home": str(tmp_path), "allowedPaths": []}
    assert ISO_MILLISECONDS.fullmatch(created_at)


@pytest.mark.requirement("users.register.again")
def test_registering_again_updates_home_and_keeps_created_at(shared: DaemonProcess, tmp_path: Path) -> None:
    register(shared, id="again", home=str(tmp_path))
    before = users(shared)["again"]
    other = str(tmp_path / "other")
    status, answer = register(shared, id="again", home=other)
    assert (status, answer) == (200, {"user_id": "again", "home": other, "created": False})
    assert users(shared)["again"] == before | {"home": other}


@pytest.mark.requirement("users.register.again")
def test_registering_the_same_changes_nothing(shared: DaemonProcess, tmp_path: Path) -> None:
    register(shared, id="same", home=str(tmp_path))
    before = users(shared)
    _, answer = register(shared, id="same", home=str(tmp_path))
    assert answer == {"user_id": "same", "home": str(tmp_path), "created": False}
    assert users(shared) == before


@pytest.mark.requirement("users.register.id_required")
@pytest.mark.parametrize(
    "body", [{}, {"id": ""}, {"id": None}, {"home": "/home"}, {"id": "", "home": "/home"}]
)
def test_id_is_required(shared: DaemonProcess, body: dict[str, Any]) -> None:
    assert register(shared, **body) == (400, {"error": "id required"})


@pytest.mark.requirement("users.register.home_required")
@pytest.mark.parametrize("body", [{"id": "x"}, {"id": "x", "home": ""}, {"id": "x", "home": None}])
def test_home_is_required(shared: DaemonProcess, body: dict[str, Any]) -> None:
    assert register(shared, **body) == (400, {"error": "home required"})
    assert "x" not in users(shared)


@pytest.mark.requirement("users.register.absolute", "http.bad_shape")
def test_wrong_fields_are_400_and_register_nobody(daemon: DaemonProcess) -> None:
    bodies: list[dict[str, Any]] = [{"id": wrong, "home": "/home"} for wrong in WRONG_IDS]
    bodies += [{"id": "x", "home": wrong} for wrong in WRONG_HOMES]
    bodies += [{"id": "x", "home": "/home", "allowedPaths": wrong} for wrong in WRONG_ALLOWED_PATHS]
    for body in bodies:
        status, answer = register(daemon, **body)
        assert (body, status) == (body, 400)
        assert isinstance(answer["error"], str)
    assert set(users(daemon)) == {"default"}


@pytest.mark.requirement("http.bad_shape")
@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"id"', b"5", b"null", b"\xff", b'{"id": NaN}'])
@pytest.mark.parametrize("path", ["/users", "/sessions"])
def test_body_that_is_not_an_object_is_400(shared: DaemonProcess, path: str, body: bytes) -> None:
    answer = shared.request("POST", path, body)
    assert answer.status == 400
    assert isinstance(answer.json()["error"], str)


@pytest.mark.requirement("users.allowed_paths", "users.allowed_paths.kept")
def test_allowed_paths_are_stored_and_kept(shared: DaemonProcess, tmp_path: Path) -> None:
    home, paths = str(tmp_path), ["/srv/data", "/srv/with blank"]
    status, answer = register(shared, id="p", home=home, allowedPaths=paths)
    assert (status, answer) == (200, {"user_id": "p", "home": home, "created": True})
    assert users(shared)["p"]["allowedPaths"] == paths
    register(shared, id="p", home=home)
    assert users(shared)["p"]["allowedPaths"] == paths
    register(shared, id="p", home=home, allowedPaths=[])
    assert users(shared)["p"]["allowedPaths"] == []


@pytest.mark.requirement("users.delete", "users.delete.missing", "users.delete.files")
def test_deleted_user_is_gone_and_files_are_kept(shared: DaemonProcess, tmp_path: Path) -> None:
    kept = tmp_path / "kept.txt"
    kept.write_text("kept", encoding="utf-8")
    register(shared, id="gone", home=str(tmp_path))
    answers = [shared.request("DELETE", "/users/gone") for _ in range(2)]
    assert [(answer.status, answer.json()) for answer in answers] == [
        (200, {"user_id": "gone", "deleted": True}),
        (200, {"user_id": "gone", "deleted": False}),
    ]
    assert "gone" not in users(shared)
    assert kept.read_text(encoding="utf-8") == "kept"


@pytest.mark.requirement("users.delete.state")
def test_deleted_user_has_no_sessions(daemon: DaemonProcess) -> None:
    daemon.exec('/set {a} = "1"')
    daemon.request("DELETE", "/users/default")
    assert daemon.request("GET", "/sessions").json() == {"sessions": []}
    answer = daemon.request("POST", "/exec", {"cmd": "/info"}, headers={"X-User-Id": "default"})
    assert answer.status == 401
    register(daemon, id="default", home=str(daemon.home))
    assert '{a} = "1"' not in daemon.exec("/set").content


@pytest.mark.requirement("users.delete", "security.identity")
@pytest.mark.parametrize(
    ("name", "path"), [("a b", "a%20b"), ("ümläut", "%C3%BCml%C3%A4ut"), ("a/b", "a%2Fb")]
)
def test_any_text_can_be_an_id(shared: DaemonProcess, name: str, path: str) -> None:
    register(shared, id=name, home=str(shared.home))
    answer = shared.request("POST", "/exec", {"cmd": "/info"}, headers={"X-User-Id": as_header(name)})
    assert answer.status == 200
    assert shared.request("DELETE", f"/users/{path}").json() == {"user_id": name, "deleted": True}


def as_header(name: str) -> str:
    """The UTF-8 bytes of a name, as http.client writes them."""
    return name.encode().decode("latin-1")


@pytest.mark.requirement("users.home_change")
def test_only_a_changed_home_deletes_sessions(daemon: DaemonProcess, tmp_path: Path) -> None:
    daemon.exec('/set {a} = "1"')
    register(daemon, id="default", home=str(daemon.home))
    assert '{a} = "1"' in daemon.exec("/set").content
    register(daemon, id="default", home=str(tmp_path / "moved"))
    assert session(daemon) is None
    assert '{a} = "1"' not in daemon.exec("/set").content


@pytest.mark.requirement("users.register", "users.register.again")
def test_concurrent_requests_create_one_user(daemon: DaemonProcess, connect: Connect) -> None:
    body = json.dumps({"id": "same", "home": str(daemon.home)}).encode()
    clients = [connect(daemon) for _ in range(20)]
    for client in clients:
        client.send(request("POST", "/users", body))
    created = [client.receive().json()["created"] for client in clients]
    assert sorted(created) == [False] * 19 + [True]
