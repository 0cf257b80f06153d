"""Every endpoint of a node, with tokens that are missing, not valid or too narrow, and with other users."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from urllib.parse import quote

import pytest

from stringd.testing.process import HttpReply
from stringd_cluster.access.scopes import EndpointRule, Scope, UserPlace, listed_rule
from tests.cluster.access.door_client import STRANGER, Doorstep, refusal
from tests.cluster.daemon_routes import daemon_routes
from tests.protocol.waits import eventually

NARROWER = {Scope.EXEC: "read", Scope.ADMIN: "exec"}
# A user that is registered, one that is not, and spellings that endpoints could read differently.
OTHERS = ("bob", "nobody", "ann/../bob", "b\N{LATIN SMALL LETTER O WITH DIAERESIS}b")
QUERIES = {UserPlace.QUERY_USER_ID: ("user_id", "user%5Fid"), UserPlace.QUERY_USER: ("user", "%75ser")}
# Each is for the state of a sign-in.
RETURNS = ("/mcp/signed-in", "/openapi/callback")
FIELDS = {UserPlace.BODY_USER_ID: "user_id", UserPlace.BODY_ID: "id"}


@pytest.fixture(scope="module")
def endpoints(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str, EndpointRule]]:
    """The method, a path and the rule of each endpoint; paths below others have two more segments."""
    found = []
    for pattern, methods in sorted(daemon_routes(Path(tmp_path_factory.mktemp("routes"))).items()):
        path = pattern.replace("{path:path}", "a/b").replace("{", "").replace("}", "")
        for method in sorted(methods):
            rule = listed_rule(method, path)
            assert rule, f"{method} {path} is not in the table of scopes"
            found.append((method, path, rule))
    return found


Endpoints = list[tuple[str, str, EndpointRule]]


@pytest.mark.requirement("cluster.door.every")
def test_no_endpoint_is_open_but_health_and_what_is_checked_otherwise(endpoints: Endpoints) -> None:
    opened = {(method, path) for method, path, rule in endpoints if rule.scope is None}
    others = {it for it in opened if not it[1].startswith("/console")}
    assert others == {(method, path) for method in ("GET", "HEAD") for path in RETURNS} | {("GET", "/health")}


@pytest.mark.requirement("cluster.door.every")
def test_every_endpoint_refuses_what_is_not_valid(door: Doorstep, endpoints: Endpoints) -> None:
    expired, revoked = (door.cluster.token(user) for user in ("gina", "hugo"))
    door.cluster.sql("UPDATE stringd.tokens SET expires = now() - interval '1s' WHERE user_id = 'gina'")
    door.cluster.revoke("hugo")
    for method, path, rule in endpoints:
        if rule.scope is None:
            continue
        assert door.ask(method, path).headers["X-Error-Code"] == "TOKEN_REQUIRED", path
        refused = [_refusal(door, method, path, it) for it in (STRANGER, expired, revoked)]
        assert (len({*refused}), refused[0][0]) == (1, 401), path


def _refusal(door: Doorstep, method: str, path: str, token: str) -> tuple[int, str, bytes]:
    """Return how an invalid token is refused: after a hundred, they are let in only now and then."""

    def asked() -> HttpReply | None:
        reply = door.ask(method, path, token=token)
        return None if reply.status == HTTPStatus.TOO_MANY_REQUESTS else reply

    return refusal(eventually(asked))


@pytest.mark.requirement("cluster.door.every")
def test_every_endpoint_refuses_narrow_tokens(door: Doorstep, endpoints: Endpoints) -> None:
    for method, path, rule in endpoints:
        if rule.scope not in NARROWER:
            continue
        refused = door.ask(method, path, token=door.token("ann", NARROWER[rule.scope]))
        assert refused.status == 403, path
        assert f'scope="{rule.scope}"' in refused.headers["WWW-Authenticate"], path


@pytest.mark.requirement("cluster.door.every")
def test_every_endpoint_refuses_other_users_alike(door: Doorstep, endpoints: Endpoints) -> None:
    token = door.token("ann")
    for method, path, rule in endpoints:
        if rule.scope in {None, Scope.ADMIN}:
            continue
        for place in {*rule.users, UserPlace.HEADER}:
            replies = [reply for user in OTHERS for reply in named(door, method, path, place, user, token)]
            answers = {refusal(it) for it in replies}
            assert ({it.status for it in replies}, len(answers)) == ({403}, 1), (method, path, place)


def named(
    door: Doorstep, method: str, path: str, place: UserPlace, user: str, token: str
) -> Iterator[HttpReply]:
    """Send a request that names a user in a place, spelled in all ways, beside the token's own."""
    if place is UserPlace.HEADER:
        latin = user.encode().decode("latin-1")
        for value in (latin, f" {latin}\t"):
            yield door.ask(method, path, token=token, headers={"X-User-Id": value})
    elif place is UserPlace.PATH:
        yield door.ask(method, f"/sessions/{quote(user, safe='')}/file:main", token=token)
    elif place in FIELDS:
        field = FIELDS[place]
        for text in (
            json.dumps({field: user, "topic": "file:main"}),
            json.dumps({field: user}).replace("{", f'{{"{field}": "ann", '),
            json.dumps({field: user}).replace(field, f"\\u{ord(field[0]):04x}{field[1:]}"),
        ):
            yield door.ask(method, path, text, token=token)
    else:
        value = quote(user, safe="")
        for name in QUERIES[place]:
            yield door.ask(method, f"{path}?{name}={value}", token=token)
            yield door.ask(method, f"{path}?{name}={value}&{name}=ann", token=token)
            yield door.ask(method, f"{path}?x=1&{name}=ann&{name}={value}", token=token)


@pytest.mark.requirement("cluster.door.alike_users")
def test_refusals_need_no_look_at_the_users(door: Doorstep) -> None:
    token = door.token("ann")
    assert door.execute(token).status == 200
    door.node.engine_cut.drop()
    try:
        answers = {refusal(door.execute(token, **{"X-User-Id": user})) for user in ("bob", "nobody")}
    finally:
        door.node.engine_cut.heal()
    assert [status for status, _, _ in answers] == [403]
