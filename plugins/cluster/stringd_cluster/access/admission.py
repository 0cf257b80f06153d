"""Whether the request of a client is admitted: its token, the scope that it needs, and the user it is for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from starlette.types import Message, Receive, Scope

from stringd.plugin import ClientGone
from stringd_cluster.access import scopes
from stringd_cluster.access.access_refusals import (
    BodyTooLarge,
    OtherUser,
    ScopeRequired,
    SeveralUsers,
    TokenRequired,
    UserUnnamed,
)
from stringd_cluster.access.request_head import RequestHead, request_head
from stringd_cluster.access.request_users import (
    IN_BODY,
    header_user,
    users_in_body,
    users_in_target,
    with_user,
)
from stringd_cluster.access.scopes import EndpointRule, UserPlace, endpoint_rule
from stringd_cluster.access.token_table import TokenTable
from stringd_cluster.access.tokens import Principal

MOST_READ = 1 << 20
"""The length of bodies that name a user."""
OPERATOR = Principal(token_id="", user_id="", scopes=frozenset({scopes.Scope.ADMIN}))
"""Whoever has the token that this daemon gave its operator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """A request as the daemon is given it; without a principal, it is open to everyone.

    The user is `""` if the request is not for one home.
    """

    principal: Principal | None
    user_id: str
    scope: Scope
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
        """Admit a request, or raise `AccessRefused`."""
        rule = endpoint_rule(scope.get("method", "GET"), scope["path"])
        head = request_head(scope)
        if rule.scope is None:
            return self._admitted(scope, head, None, "", receive)
        principal = self._known(head) or await self._principal(head, _peer(scope))
        if not principal.allows(rule.scope):
            raise ScopeRequired(rule.scope)
        named = users_in_target(rule.users, scope) if rule.users else set()
        if not rule.users.isdisjoint(IN_BODY):
            body = await _read(receive)
            named |= users_in_body(rule.users, body)
            receive = _replayed(body, receive)
        user_id = _settled(principal, rule, header_user(head.user), named)
        admitted = self._admitted(scope, head, principal, user_id, receive)
        if _shows_all_users(rule) and not principal.allows(scopes.Scope.ADMIN):
            admitted.scope["query_string"] = with_user(scope["query_string"], user_id)
        return admitted

    def _known(self, head: RequestHead) -> Principal | None:
        token = head.token
        return self._tokens.known(token) if token and head.operator_token is None else None

    async def _principal(self, head: RequestHead, peer: str) -> Principal:
        token, operator_token = head.token, head.operator_token
        if operator_token is None:
            if token is None:
                raise TokenRequired
            return await self._tokens.principal(token, peer)
        person = OPERATOR
        if not self._is_operator(operator_token):
            person = await self._tokens.principal(operator_token, peer)
        if not person.allows(scopes.Scope.ADMIN):
            raise ScopeRequired(scopes.Scope.ADMIN, "To act as the operator")
        if token is None:
            return person
        return replace(await self._tokens.principal(token, peer), scopes=person.scopes)

    def _admitted(
        self,
        scope: Scope,
        head: RequestHead,
        principal: Principal | None,
        user_id: str,
        receive: Receive,
    ) -> Admitted:
        authority = b"127.0.0.1:%d" % self._port()
        scope = {**scope, "headers": head.admitted(user_id, authority)}
        if scheme := head.own_scheme:
            # A proxy in front speaks TLS for this node.
            scope["scheme"] = scheme.decode()
        return Admitted(principal=principal, user_id=user_id, scope=scope, receive=receive)


def _settled(principal: Principal, rule: EndpointRule, header: str, named: set[str]) -> str:
    """Return the user that a request is for; nothing here depends on which users there are."""
    own = principal.user_id
    if not principal.allows(scopes.Scope.ADMIN):
        if (header and header != own) or named - {own}:
            raise OtherUser(own)
        return own
    reads_header = UserPlace.HEADER in rule.users
    wanted = named | {header} if header and reads_header else named
    if len(wanted) > 1:
        raise SeveralUsers
    if not wanted and reads_header and not own:
        raise UserUnnamed
    return next(iter(wanted), own if reads_header else "")


def _shows_all_users(rule: EndpointRule) -> bool:
    """Whether an endpoint shows what all users have, unless the query names one."""
    return UserPlace.QUERY_USER_ID in rule.users and UserPlace.HEADER not in rule.users


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
