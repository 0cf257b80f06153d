"""The head of a client's request: what the door reads of it, and what the daemon is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from stringd.plugin import ErrorCode
from stringd_cluster.access.access_refusals import AccessRefused

_BEARER = b"bearer "
_HOP = b"x-stringd-hop"
_AUTHORIZATION, _OPERATOR, _USER = b"authorization", b"x-operator-token", b"x-user-id"
_HOST, _ORIGIN, _CONNECTION = b"host", b"origin", b"connection"
# What nodes tell each other is not taken from clients. A client that names a header in `Connection` could
# have it left out between nodes.
_TAKEN = frozenset({_AUTHORIZATION, _OPERATOR, _USER, _HOST, _ORIGIN, _CONNECTION})
_SCHEMES = frozenset({b"http", b"https"})


class AmbiguousHead(AccessRefused):
    """A head that can be read in more than one way."""

    status = 400
    code = ErrorCode.INVALID_REQUEST
    code_in_body = False


class RequestHead(NamedTuple):
    """The headers that the door takes, by name, and all others."""

    taken: Mapping[bytes, bytes]
    others: Sequence[tuple[bytes, bytes]]

    @property
    def token(self) -> str | None:
        """The token of `Authorization: Bearer …`, `""` for other credentials, None without."""
        value = self.taken.get(_AUTHORIZATION)
        if value is None:
            return None
        is_bearer = value[: len(_BEARER)].lower() == _BEARER
        return value[len(_BEARER) :].strip().decode("latin-1") if is_bearer else ""

    @property
    def operator_token(self) -> str | None:
        """The token of `X-Operator-Token`."""
        value = self.taken.get(_OPERATOR)
        return None if value is None else value.strip().decode("latin-1")

    @property
    def user(self) -> bytes:
        """The header `X-User-Id`, empty if there is none."""
        return self.taken.get(_USER, b"")

    def admitted(self, user_id: str, authority: bytes) -> list[tuple[bytes, bytes]]:
        """Return the headers without credentials, for a user, and as if sent to loopback."""
        headers = [*self.others, (_HOST, authority)]
        if user_id:
            headers.append((_USER, user_id.encode()))
        if origin := self.taken.get(_ORIGIN):
            scheme = self.own_scheme
            headers.append((_ORIGIN, b"%b://%b" % (scheme, authority) if scheme else origin))
        return headers

    @property
    def own_scheme(self) -> bytes:
        """The scheme of the page that sends this, if it is of the host that it is sent to."""
        scheme, _, site = self.taken.get(_ORIGIN, b"").partition(b"://")
        is_own = scheme in _SCHEMES and site.lower() == self.taken.get(_HOST, b"").lower()
        return scheme if is_own and site else b""


def request_head(scope: Mapping[str, Any]) -> RequestHead:
    """Return the head of a request, or raise `AmbiguousHead`."""
    taken: dict[bytes, bytes] = {}
    others = []
    for header in scope["headers"]:
        name, value = header
        if name not in _TAKEN:
            if not name.startswith(_HOP):
                others.append(header)
        elif name in taken and name != _CONNECTION:
            raise AmbiguousHead(f"More than one {name.decode()} header")
        else:
            taken[name] = value
    return RequestHead(taken, others)


def with_operator(headers: Sequence[tuple[bytes, bytes]], token: bytes) -> list[tuple[bytes, bytes]]:
    """Return headers with the operator's token."""
    return [*headers, (_OPERATOR, token)]
