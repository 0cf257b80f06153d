"""Which scope each endpoint needs: every route of a daemon with all plugins is in the table."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.routing import BaseRoute, Route, WebSocketRoute

from stringd.config import Config
from stringd.server.app import _PROTOCOL, make_runtime
from stringd.server.endpoints.events import EVENTS
from stringd.server.endpoints.execute import EXEC as EXEC_PATH
from stringd_cluster.access.scopes import Scope, UserPlace, endpoint_rule, listed_rule, required_scope

READ, EXEC, ADMIN = Scope
ALL_METHODS = ("GET", "POST", "DELETE")


@pytest.mark.requirement("cluster.scopes.complete")
def test_every_route_of_a_daemon_is_listed(tmp_path: Path) -> None:
    routes = _routes(tmp_path)
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


def _routes(folder: Path) -> dict[str, set[str]]:
    """Return the methods of each path; of one that takes all, one of them."""
    runtime = make_runtime(Config(data_dir=folder))
    found = {EXEC_PATH: {"POST"}, EVENTS: {"GET"}}
    routes: tuple[BaseRoute, ...] = (*_PROTOCOL, *runtime.catalogue.routes)
    for route in routes:
        assert isinstance(route, Route | WebSocketRoute)
        methods = _methods(route) if isinstance(route, Route) else {"GET"}
        found.setdefault(route.path, set()).update(methods)
    return found


def _methods(route: Route) -> set[str]:
    """Return the methods of a route: those of an endpoint class are its functions."""
    if route.methods is not None:
        return set(route.methods)
    own = {method for method in ALL_METHODS if hasattr(route.endpoint, method.lower())}
    return own or {"GET"}


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
        ("GET", "/status", ADMIN),
        ("POST", "/shutdown", ADMIN),
        ("GET", "/users", ADMIN),
        ("DELETE", "/users/ann", ADMIN),
        ("POST", "/secrets", ADMIN),
        ("DELETE", "/secrets/a/b", ADMIN),
        ("GET", "/console/static/console.css", ADMIN),
        ("GET", "/", ADMIN),
        ("GET", "/other-plugin", ADMIN),
        ("BREW", "/exec", ADMIN),
    ],
)
def test_scopes_of_requests(method: str, path: str, scope: Scope | None) -> None:
    assert required_scope(method, path) is scope


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
