"""Whether the request of a client is admitted: its token, the scope that it needs, and the user it is for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

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
from stringd_cluster.access.request_head import Header, RequestHead, loopback_host
from stringd_cluster.access.request_users import users_in_body, users_in_target, with_user
from stringd_cluster.access.scopes import EndpointRule, endpoint_rule
from stringd_cluster.access.scopes import Scope as TokenScope
from stringd_cluster.access.token_table import TokenTable
from stringd_cluster.access.tokens import Principal

MOST_READ = 1 << 20
"""The length of bodies that name a user."""
OPERATOR = Principal(token_id="", user_id="", scopes=frozenset({TokenScope.ADMIN}))
"""Whoever has the token that this daemon gave its operator."""


class Admitted(NamedTuple):
    """A request whose head the daemon may be given; without a principal, it is open to everyone.

    The user is `""` if the request is not for one home.
    """

    principal: Principal | None
    user_id: str
    receive: Receive


class Admission:
    """Decides on requests by their heads; of two endpoints, it reads the bodies, too."""

    def __init__(
        self, tokens: TokenTable, is_operator: Callable[[str], bool], port: Callable[[], int]
    ) -> None:
        self._tokens = tokens
        self._is_operator = is_operator
        self._port = port

    async def admit(self, scope: Scope, receive: Receive) -> Admitted:
        """Admit a request and put its user in place of its token, or raise `AccessRefused`."""
        rule = endpoint_rule(scope.get("method", "GET"), scope["path"])
        head = RequestHead(scope["headers"])
        if rule.scope is None:
            self._prepare(scope, head, "")
            return Admitted(None, "", receive)
        principal = self._known(head) or await self._principal(head, _peer(scope))
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
        return Admitted(principal, user_id, receive)

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
        scope["headers"] = head.admitted(user_id, self._host)
        if scheme := head.own_scheme:
            # A proxy in front speaks TLS for this node.
            scope["scheme"] = scheme.decode()

    @cached_property
    def _host(self) -> Header:
        return loopback_host(self._port())


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


def _peer(scope: Scope) -> str:
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
