"""The routes of a daemon with all plugins."""

from __future__ import annotations

from pathlib import Path

from starlette.routing import BaseRoute, Route, WebSocketRoute

from stringd.config import Config
from stringd.server.app import _PROTOCOL, make_runtime
from stringd.server.endpoints.events import EVENTS
from stringd.server.endpoints.execute import EXEC

_METHODS = ("GET", "POST", "DELETE")


def daemon_routes(folder: Path) -> dict[str, set[str]]:
    """Return the methods of each path; of one that takes all, one of them."""
    runtime = make_runtime(Config(data_dir=folder))
    found = {EXEC: {"POST"}, EVENTS: {"GET"}}
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
    own = {method for method in _METHODS if hasattr(route.endpoint, method.lower())}
    return own or {"GET"}
