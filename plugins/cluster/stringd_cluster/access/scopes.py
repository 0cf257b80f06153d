"""Which scope each endpoint needs, and where a request to it names a user."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum, StrEnum, auto
from functools import cached_property

from msgspec import Struct


class Scope(StrEnum):
    """What a token permits; each scope includes those before it."""

    READ = "read"
    EXEC = "exec"
    ADMIN = "admin"

    def includes(self, wanted: Scope) -> bool:
        """Whether a token with this scope may do what needs the other one."""
        return _RANKS[self] >= _RANKS[wanted]


_RANKS = {scope: rank for rank, scope in enumerate(Scope)}


class UserPlace(Enum):
    """A place of a request from which an endpoint reads for which user it works."""

    HEADER = auto()
    """The header `X-User-Id`."""
    QUERY_USER_ID = auto()
    """The parameter `user_id` of the query."""
    QUERY_USER = auto()
    """The parameter `user` of the query."""
    PATH = auto()
    """The second segment of the path."""
    BODY_USER_ID = auto()
    """The field `user_id` of the body."""
    BODY_ID = auto()
    """The field `id` of the body."""


_IN_TARGET = frozenset({UserPlace.QUERY_USER_ID, UserPlace.QUERY_USER, UserPlace.PATH})
_IN_BODY = frozenset({UserPlace.BODY_USER_ID, UserPlace.BODY_ID})


class EndpointRule(Struct, frozen=True, kw_only=True, dict=True):
    """The scope that an endpoint needs, None if it is open to everyone, and where it reads the user."""

    scope: Scope | None
    users: frozenset[UserPlace] = frozenset()
    is_return: bool = False
    """Whether browsers come here after a sign-in: the node that began it takes them, by their `state`."""

    @cached_property
    def permitting(self) -> frozenset[Scope]:
        """The scopes with which a token permits this."""
        return frozenset(it for it in Scope if self.scope is None or it.includes(self.scope))

    @cached_property
    def is_decided_by_head(self) -> bool:
        """Whether the header alone names the user, for whom the endpoint works then."""
        return self.users == {UserPlace.HEADER}

    @cached_property
    def reads_header(self) -> bool:
        """Whether the endpoint works for the user of the header, or else for one of its own choice."""
        return UserPlace.HEADER in self.users

    @cached_property
    def reads_target(self) -> bool:
        """Whether the query or the path may name a user."""
        return not self.users.isdisjoint(_IN_TARGET)

    @cached_property
    def reads_body(self) -> bool:
        """Whether the body names a user."""
        return not self.users.isdisjoint(_IN_BODY)

    @cached_property
    def shows_all_users(self) -> bool:
        """Whether the endpoint shows what all users have, unless the query names one."""
        return UserPlace.QUERY_USER_ID in self.users and not self.reads_header


def endpoint_rule(method: str, path: str) -> EndpointRule:
    """Return the rule of a request; a WebSocket's method is GET, and what is unknown needs `admin`."""
    return listed_rule(method, path) or _UNKNOWN


def listed_rule(method: str, path: str) -> EndpointRule | None:
    """Return the rule of an endpoint of the table, or None."""
    rules = _EXACT.get(path)
    if rules is None:
        rules = next((it for prefix, it in _BELOW if path.startswith(prefix)), None)
    if rules is None:
        return None
    return rules.get("GET" if method == "HEAD" else method) or rules.get("*")


def _rule(scope: Scope | None, *users: UserPlace) -> EndpointRule:
    return EndpointRule(scope=scope, users=frozenset(users))


def _below(families: Iterable[str]) -> Iterable[str]:
    return sorted(families, key=len, reverse=True)


_UNKNOWN = _rule(Scope.ADMIN)
_OPEN = {"GET": _rule(None)}
# Browsers send no tokens with pages: the console signs them in by tickets, which admins get, and checks the
# cookie and the key of each browser.
_SIGNED_IN = {"GET": _rule(None), "POST": _rule(None)}
_ADMIN = {"*": _rule(Scope.ADMIN)}
_AS_USER = {"POST": _rule(Scope.EXEC, UserPlace.HEADER)}
_MCP = {"*": _rule(Scope.EXEC, UserPlace.HEADER, UserPlace.QUERY_USER)}
_OF_USER = _rule(Scope.READ, UserPlace.QUERY_USER_ID)
# An unguessable `state`, which is good for one return, stands for the token that browsers do not have.
_RETURN = {"GET": EndpointRule(scope=None, is_return=True)}
_EXACT: Mapping[str, Mapping[str, EndpointRule]] = {
    "/approval/grants": _ADMIN,
    "/approval/rules": _ADMIN,
    "/cancel": _AS_USER,
    "/chanflow": _AS_USER,
    "/console": _SIGNED_IN,
    "/console/tickets": {"POST": _UNKNOWN},
    "/events": {"GET": _OF_USER},
    "/exec": _AS_USER,
    "/health": _OPEN,
    "/mcp": _MCP,
    "/mcp/signed-in": _RETURN,
    "/mcp/stdio": _MCP,
    "/openapi/callback": _RETURN,
    "/questions": {"GET": _OF_USER},
    # They show the questions, the grants and the secrets of all users.
    "/questions/stream": _ADMIN,
    "/secrets": {"GET": _UNKNOWN, "POST": _rule(Scope.ADMIN, UserPlace.BODY_USER_ID)},
    "/sessions": {
        "GET": _OF_USER,
        "POST": _rule(Scope.EXEC, UserPlace.BODY_USER_ID),
        "DELETE": _rule(Scope.EXEC),
    },
    "/shutdown": _ADMIN,
    "/status": _ADMIN,
    "/users": {"GET": _UNKNOWN, "POST": _rule(Scope.ADMIN, UserPlace.BODY_ID)},
    "/ws": {"GET": _rule(Scope.EXEC, UserPlace.HEADER, UserPlace.QUERY_USER_ID)},
}
_PREFIXES: Mapping[str, Mapping[str, EndpointRule]] = {
    "/approval/grants/": _ADMIN,
    "/console/": _SIGNED_IN,
    "/questions/": {"POST": _rule(Scope.EXEC, UserPlace.HEADER)},
    "/secrets/": {"DELETE": _rule(Scope.ADMIN, UserPlace.QUERY_USER_ID)},
    "/sessions/": {"DELETE": _rule(Scope.EXEC, UserPlace.PATH)},
    "/users/": {"DELETE": _rule(Scope.ADMIN, UserPlace.PATH)},
}
_BELOW = tuple((prefix, _PREFIXES[prefix]) for prefix in _below(_PREFIXES))
