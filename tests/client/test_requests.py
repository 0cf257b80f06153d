"""The requests of both clients, and the results of calls other than `exec`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from stringd.client import (
    ChanFlowAnswer,
    Client,
)
from tests.client.fake import FakeDaemon, http, json_answer, sse

if TYPE_CHECKING:
    from pathlib import Path

    from tests.client.drivers import Talk

RUN = ("exec", "file:main", "/x")


UNKNOWN = json_answer({"error": "Unknown user: default"}, 401)


def requests_of(fake: FakeDaemon) -> list[str]:
    return [f"{seen.method} {seen.path}" for seen in fake.seen]


@pytest.mark.requirement("client.port_cached")
def test_known_user_sends_only_commands(fake: FakeDaemon, talk: Talk) -> None:
    fake.answers += [[sse()], [sse()]]
    talk(fake.port, RUN, RUN)
    assert requests_of(fake) == ["POST /exec", "POST /exec"]


@pytest.mark.requirement("client.register")
def test_unknown_user_is_registered_and_command_resent(fake: FakeDaemon, talk: Talk) -> None:
    fake.routes["GET /users"] = [json_answer({"users": []})]
    fake.answers += [[UNKNOWN], [sse()], [sse()]]
    assert [result.ok for result in talk(fake.port, RUN, RUN)] == [True, True]
    registering = ["GET /health", "GET /users", "POST /users"]  # the first: any server may answer 401
    assert requests_of(fake) == ["POST /exec", *registering, "POST /exec", "POST /exec"]


@pytest.mark.requirement("client.health_first", "client.register")
@pytest.mark.parametrize(
    ("step", "options"),
    [(RUN, {"home": "/h"}), (("exec", "file:main", "x" * 100_000), {}), (("chanflow", "x"), {})],
)
def test_home_long_body_and_chanflow_check_user_first(
    fake: FakeDaemon, talk: Talk, step: tuple[str, ...], options: dict[str, str]
) -> None:
    fake.answers += [[sse()], [sse()]]
    fake.routes["POST /chanflow"] = [http(b"", 200, "text/plain")]
    talk(fake.port, step, RUN, **options)
    users = "POST /users" if options else "GET /users"
    first = "POST /chanflow" if step[0] == "chanflow" else "POST /exec"
    assert requests_of(fake) == ["GET /health", users, first, "POST /exec"]


@pytest.mark.requirement("client.register")
def test_an_unknown_user_gets_a_home_of_their_own(
    fake: FakeDaemon, talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    fake.answers += [[UNKNOWN], [sse()]]
    talk(fake.port, RUN, user="../é b")
    home = tmp_path / ".string/users/..%2F%C3%A9%20b"
    assert json.loads(fake.last("POST /users").body) == {"id": "../é b", "home": str(home)}
    assert home.stat().st_mode & 0o777 == 0o700


def test_a_given_home_is_registered_even_for_a_known_user(
    fake: FakeDaemon, talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    fake.answers.append([sse()])
    talk(fake.port, RUN, home="here")
    assert json.loads(fake.last("POST /users").body)["home"] == str(tmp_path / "here")


@pytest.mark.requirement("client.accept", "client.user_header")
def test_command_request_format(fake: FakeDaemon, talk: Talk) -> None:
    fake.answers += [[sse()], [sse()]]
    fake.routes["GET /users"] = [json_answer({"users": [{"id": "größe 𝒞", "home": "/h"}]})]
    talk(fake.port, ("exec", "bash:dev", "ls\né", "r-1"), RUN, user="größe 𝒞")
    first, second = (seen for seen in fake.seen if seen.path == "/exec")
    assert json.loads(first.body) == {"cmd": "ls\né", "topic": "bash:dev", "request_id": "r-1"}
    assert json.loads(second.body) == {"cmd": "/x", "topic": "file:main"}
    assert first.headers["x-user-id"] == "größe 𝒞".encode()
    assert first.headers["accept"] == b"text/event-stream"
    assert first.headers["content-type"] == b"application/json"


@pytest.mark.requirement("client.user_header")
@pytest.mark.parametrize("user", ["", " ", " a", "a\n", "a\r\nX: y", "a\x00b", "\udc80"])
def test_user_id_invalid_in_a_header_is_refused(user: str) -> None:
    with pytest.raises(ValueError, match="user id"):
        Client(user)


@pytest.mark.requirement("client.public_calls")
def test_every_endpoint_has_a_method(fake: FakeDaemon, talk: Talk) -> None:
    user, session = {"id": "default", "home": "/h"}, {"topic": "file:main"}
    fake.routes |= {
        "GET /status": [json_answer({"version": "1"})],
        "GET /users": [json_answer({"users": [user]})],
        "GET /sessions?user_id=default": [json_answer({"sessions": [session]})],
        "DELETE /sessions/default/app%3Aa%3Ab": [json_answer({"deleted": True})],
        "DELETE /users/default": [json_answer({"deleted": False})],
        "POST /cancel": [json_answer({"topic": "file:main", "cancelled": True, "cmd": "/find x"})],
        "POST /shutdown": [json_answer({"ok": True, "message": "stringd shutting down"})],
    }
    assert talk(
        fake.port,
        ("health",),
        ("status",),
        ("users",),
        ("sessions",),
        ("close_session", "app:a:b"),
        ("remove_user",),
        ("register",),
        ("register", "/other"),
        ("cancel", "file:main"),
        ("cancel", "file:main", "r1"),
        ("shutdown",),
    ) == [
        {"ok": True, "users": 1, "sessions": 0},
        {"version": "1"},
        [user],
        [session],
        True,
        False,
        {"user_id": "default", "home": "/h", "created": False},
        {"user_id": "default", "home": "/h", "created": True},
        "/find x",
        "/find x",
        {"ok": True, "message": "stringd shutting down"},
    ]


@pytest.mark.parametrize(("user", "segment"), [("..", "%2E%2E"), ("a/b?c#é", "a%2Fb%3Fc%23%C3%A9")])
def test_no_user_id_changes_the_path(fake: FakeDaemon, talk: Talk, user: str, segment: str) -> None:
    fake.routes[f"DELETE /users/{segment}"] = [json_answer({"deleted": True})]
    assert talk(fake.port, ("remove_user",), user=user) == [True]


def test_chanflow_sends_text_and_counts_failures(fake: FakeDaemon, talk: Talk) -> None:
    text, answer = "<𝒞=string:file:a>\n/x\n</𝒞>", "<𝒞=string:file:a>\nHello\n</𝒞>"
    fake.routes["POST /chanflow"] = [http(answer.encode(), 200, "text/plain", "X-Failed-Blocks: 2")]
    assert talk(fake.port, ("chanflow", text)) == [ChanFlowAnswer(text=answer, failed=2)]
    sent = fake.last("POST /chanflow")
    assert (sent.body, sent.headers["x-user-id"]) == (text.encode(), b"default")
    assert sent.headers["content-type"].startswith(b"text/plain")
