"""Whether the request of a client is admitted: its token, the scope that it needs, and the user it is for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from msgspec.structs import replace
from starlette.types import Message, Receive, Scope

from stringd.plugin import ClientGone
from stringd_cluster.access.access_refusals import (
    BodyTooLarge,
    OtherUser,
    ScopeRequired,
    SeveralUsers,
    TokenRequired,
    UserUnnamed,
)
from stringd_cluster.access.request_head import Header, RequestHead, loopback_host, user_header
from stringd_cluster.access.request_users import users_in_body, users_in_target, with_user
from stringd_cluster.access.scopes import EndpointRule, endpoint_rule
from stringd_cluster.access.scopes import Scope as TokenScope
from stringd_cluster.access.token_table import TokenTable
from stringd_cluster.access.tokens import Principal, digest_of

MOST_READ = 1 << 20
"""The length of bodies that name a user."""
_MOST_REMEMBERED, _LONGEST_REMEMBERED = 4096, 1024
OPERATOR = Principal(token_id="", user_id="", scopes=frozenset({TokenScope.ADMIN}))
"""Whoever has the token that this daemon gave its operator."""


Admitted: TypeAlias = tuple[Principal | None, str, Receive]
"""Whose token a request has, None if it is open to everyone; its user, `""` if it is not for one home; and
what receives its body."""
_Key: TypeAlias = tuple[str, str, tuple[bytes | None, bytes | None] | None]


class _Before(NamedTuple):
    """The decision on a request; it holds for others that are alike, while the token is known."""

    digest: bytes
    principal: Principal
    user_id: str
    added: tuple[Header, Header]


class Admission:
    """Decides on requests by their heads; of two endpoints, it reads the bodies, too."""

    def __init__(
        self, tokens: TokenTable, is_operator: Callable[[str], bool], port: Callable[[], int]
    ) -> None:
        self._tokens = tokens
        self._is_operator = is_operator
        self._port = port
        self._before: dict[_Key, _Before] = {}

    async def admit(self, scope: Scope, receive: Receive) -> Admitted:
        """Admit a request and put its user in place of its token, or raise `AccessRefused`."""
        head = RequestHead(scope["headers"])
        key = scope.get("method", "GET"), scope["path"], head.credentials
        before = self._before.get(key)
        if before and self._tokens.known_by_digest(before.digest) is before.principal:
            scope["headers"] = [*head.others, *before.added]
            return before.principal, before.user_id, receive
        rule = endpoint_rule(*key[:2])
        admitted = await self._decide(rule, head, scope, receive)
        if rule.is_decided_by_head and head.credentials:
            self._remember(key, head, admitted)
        return admitted

    def _remember(self, key: _Key, head: RequestHead, admitted: Admitted) -> None:
        principal, user_id, _ = admitted
        if principal is None or head.token is None or _size(key) > _LONGEST_REMEMBERED:
            return
        if len(self._before) >= _MOST_REMEMBERED:
            self._before.clear()
        added = self._host, user_header(user_id)
        self._before[key] = _Before(digest_of(head.token), principal, user_id, added)

    async def _decide(
        self, rule: EndpointRule, head: RequestHead, scope: Scope, receive: Receive
    ) -> Admitted:
        if rule.scope is None:
            self._prepare(scope, head, "")
            return None, "", receive
        principal = self._known(head) or await self._principal(head, peer_of(scope))
        if principal.scopes.isdisjoint(rule.permitting):
            raise ScopeRequired(rule.scope)
        named = users_in_target(rule.users, scope) if rule.reads_target else set()
        if rule.reads_body:
            body = await _read(receive)
            named |= users_in_body(rule.users, body)
            receive = _replayed(body, receive)
        user_id = _settled(principal, rule, head.user, named)
        self._prepare(scope, head, user_id)
        if rule.shows_all_users and not principal.is_admin:
            scope["query_string"] = with_user(scope["query_string"], user_id)
        return principal, user_id, receive

    def _known(self, head: RequestHead) -> Principal | None:
        token = head.token
        return self._tokens.known(token) if token and head.operator_token is None else None

    async def _principal(self, head: RequestHead, peer: str) -> Principal:
        token, operator_token = head.token, head.operator_token
        if operator_token is None:
            if token is None:
                raise TokenRequired
            return await self._tokens.principal(token.decode("latin-1"), peer)
        person = OPERATOR
        if not self._is_operator(operator_token):
            person = await self._tokens.principal(operator_token, peer)
        if not person.is_admin:
            raise ScopeRequired(TokenScope.ADMIN, "To act as the operator")
        if token is None:
            return person
        return replace(await self._tokens.principal(token.decode("latin-1"), peer), scopes=person.scopes)

    def _prepare(self, scope: Scope, head: RequestHead, user_id: str) -> None:
        scope["headers"] = head.admitted(self._host, user_header(user_id) if user_id else None)
        if scheme := head.own_scheme:
            # A proxy in front speaks TLS for this node.
            scope["scheme"] = scheme.decode()

    @cached_property
    def _host(self) -> Header:
        return loopback_host(self._port())


def _size(key: _Key) -> int:
    _, path, credentials = key
    return len(path) + sum(len(it) for it in credentials or () if it)


def _settled(principal: Principal, rule: EndpointRule, header: str, named: set[str]) -> str:
    """Return the user that a request is for; nothing here depends on which users there are."""
    own = principal.user_id
    if not principal.is_admin:
        if (header and header != own) or (named and named != {own}):
            raise OtherUser(own)
        return own
    wanted = named | {header} if header and rule.reads_header else named
    if len(wanted) > 1:
        raise SeveralUsers
    if not wanted and rule.reads_header and not own:
        raise UserUnnamed
    return next(iter(wanted), own if rule.reads_header else "")


def peer_of(scope: Scope) -> str:
    """Return the address that a request comes from."""
    client: tuple[str, int] | None = scope.get("client")
    return client[0] if client else ""


async def _read(receive: Receive) -> bytes:
    body, has_more = bytearray(), True
    while has_more:
        message: Any = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        body += message.get("body", b"")
        if len(body) > MOST_READ:
            raise BodyTooLarge(f"This request's body exceeds {MOST_READ} bytes")
        has_more = message.get("more_body", False)
    return bytes(body)


def _replayed(body: bytes, receive: Receive) -> Receive:
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay
