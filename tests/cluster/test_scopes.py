"""Which scope each endpoint needs: every route of a daemon with all plugins is in the table."""

from __future__ import annotations

from pathlib import Path

import pytest

from stringd_cluster.access.scopes import Scope, UserPlace, endpoint_rule, listed_rule
from tests.cluster.daemon_routes import daemon_routes

READ, EXEC, ADMIN = Scope


@pytest.mark.requirement("cluster.scopes.complete")
def test_every_route_of_a_daemon_is_listed(tmp_path: Path) -> None:
    routes = daemon_routes(tmp_path)
    assert len(routes) > 25
    unlisted = {
        (method, path)
        for path, methods in routes.items()
        for method in methods
        if not _is_listed(method, path)
    }
    assert not unlisted


def _is_listed(method: str, path: str) -> bool:
    return (
        listed_rule(method, path.replace("{path:path}", "a/b").replace("{", "").replace("}", "")) is not None
    )


@pytest.mark.requirement("cluster.scopes.unknown")
@pytest.mark.parametrize(
    ("method", "path", "scope"),
    [
        ("GET", "/health", None),
        ("HEAD", "/health", None),
        ("POST", "/health", ADMIN),
        ("POST", "/exec", EXEC),
        ("POST", "/exec/", ADMIN),
        ("GET", "/sessions", READ),
        ("DELETE", "/sessions/ann/file:main", EXEC),
        ("POST", "/sessions/ann", ADMIN),
        ("GET", "/events", READ),
        ("GET", "/questions", READ),
        ("GET", "/questions/stream", ADMIN),
        ("POST", "/questions/q1", EXEC),
        ("GET", "/mcp", EXEC),
        ("POST", "/mcp", EXEC),
        ("GET", "/ws", EXEC),
        ("GET", "/mcp/signed-in", None),
        ("POST", "/mcp/signed-in", ADMIN),
        ("GET", "/openapi/callback", None),
        ("GET", "/status", ADMIN),
        ("POST", "/shutdown", ADMIN),
        ("GET", "/users", ADMIN),
        ("DELETE", "/users/ann", ADMIN),
        ("POST", "/secrets", ADMIN),
        ("DELETE", "/secrets/a/b", ADMIN),
        ("GET", "/console/static/console.css", None),
        ("POST", "/console/sign-in", None),
        ("POST", "/console/tickets", ADMIN),
        ("DELETE", "/console/topics", ADMIN),
        ("GET", "/", ADMIN),
        ("GET", "/other-plugin", ADMIN),
        ("BREW", "/exec", ADMIN),
    ],
)
def test_scopes_of_requests(method: str, path: str, scope: Scope | None) -> None:
    assert endpoint_rule(method, path).scope is scope


@pytest.mark.requirement("cluster.scopes.order")
def test_a_scope_includes_those_before_it() -> None:
    assert [[scope.includes(wanted) for wanted in Scope] for scope in Scope] == [
        [True, False, False],
        [True, True, False],
        [True, True, True],
    ]


@pytest.mark.requirement("cluster.scopes.users")
def test_the_places_of_users_in_requests() -> None:
    assert endpoint_rule("GET", "/sessions").users == {UserPlace.QUERY_USER_ID}
    assert endpoint_rule("POST", "/sessions").users == {UserPlace.BODY_USER_ID}
    assert endpoint_rule("DELETE", "/sessions/ann/x").users == {UserPlace.PATH}
    assert endpoint_rule("POST", "/mcp").users == {UserPlace.HEADER, UserPlace.QUERY_USER}
    assert endpoint_rule("GET", "/ws").users == {UserPlace.HEADER, UserPlace.QUERY_USER_ID}
    assert endpoint_rule("POST", "/users").users == {UserPlace.BODY_ID}
    assert endpoint_rule("GET", "/health").users == frozenset()
