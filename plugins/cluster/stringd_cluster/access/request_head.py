"""The head of a client's request: what the door reads of it, and what the daemon is given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from stringd.plugin import ErrorCode
from stringd_cluster.access.access_refusals import AccessRefused

Header: TypeAlias = tuple[bytes, bytes]
_BEARER = b"bearer "
_AUTHORIZATION, _OPERATOR, _USER = b"authorization", b"x-operator-token", b"x-user-id"
_HOST, _ORIGIN = b"host", b"origin"
# What nodes tell each other is not taken from clients. A client that names a header in `Connection` could
# have it left out between nodes.
_DROPPED = frozenset({b"connection", b"x-stringd-hop", b"x-stringd-hop-raw"})
_TAKEN = frozenset({_AUTHORIZATION, _OPERATOR, _USER, _HOST, _ORIGIN, *_DROPPED})
_CANCEL = "/cancel"
_SCHEMES = frozenset({b"http", b"https"})


class AmbiguousHead(AccessRefused):
    """A head that can be read in more than one way."""

    status = 400
    code = ErrorCode.INVALID_REQUEST
    code_in_body = False


class OtherOrigin(AccessRefused):
    """A page of another origin sends this."""

    status = 403
    code = ErrorCode.ORIGIN_NOT_ALLOWED
    code_in_body = False

    def __init__(self) -> None:
        super().__init__("A page of another origin may not call the daemon; a proxy must pass on Host.")


class RequestHead:
    """The headers that the door takes, and all others; raises `AmbiguousHead`."""

    __slots__ = ("_taken", "others")

    def __init__(self, headers: Iterable[Header]) -> None:
        self._taken: dict[bytes, bytes] = {}
        self.others: list[Header] = []
        for header in headers:
            name = header[0]
            if name not in _TAKEN:
                self.others.append(header)
            elif name in self._taken:
                raise AmbiguousHead(f"More than one {name.decode()} header")
            elif name not in _DROPPED:
                self._taken[name] = header[1]

    @property
    def credentials(self) -> tuple[bytes | None, bytes | None] | None:
        """The token and the user as they were sent, None if something else decides, too."""
        taken = self._taken
        if _OPERATOR in taken or _ORIGIN in taken:
            return None
        return taken.get(_AUTHORIZATION), taken.get(_USER)

    @property
    def token(self) -> bytes | None:
        """The token of `Authorization: Bearer …`, empty for other credentials, None without."""
        value = self._taken.get(_AUTHORIZATION)
        if value is None:
            return None
        return value[len(_BEARER) :].strip() if value[: len(_BEARER)].lower() == _BEARER else b""

    @property
    def operator_token(self) -> str | None:
        """The token of `X-Operator-Token`."""
        value = self._taken.get(_OPERATOR)
        return None if value is None else value.strip().decode("latin-1")

    @property
    def user(self) -> str:
        """The user of `X-User-Id`, `""` if it is blank or missing, as the endpoints read it."""
        value = self._taken.get(_USER, b"").strip()
        try:
            return value.decode()
        except UnicodeDecodeError:
            return value.decode("latin-1")

    @property
    def own_scheme(self) -> bytes:
        """The scheme of the page that sends this, empty if no page does; others' are refused."""
        origin = self._taken.get(_ORIGIN)
        if origin is None:
            return b""
        scheme, _, site = origin.partition(b"://")
        if not site or scheme not in _SCHEMES or site.lower() != self._taken.get(_HOST, b"").lower():
            raise OtherOrigin
        return scheme

    def admitted(self, host: Header, user: Header | None = None) -> Sequence[Header]:
        """Return the headers without credentials, for a user, and as if sent to a host of loopback."""
        headers = [*self.others, host]
        if user:
            headers.append(user)
        if scheme := self.own_scheme:
            headers.append((_ORIGIN, b"%b://%b" % (scheme, host[1])))
        return headers


def is_for_running(scope: Mapping[str, Any]) -> bool:
    """Return whether a request is for a command that runs, wherever the home of its user is going."""
    return bool(scope["path"] == _CANCEL)


def loopback_host(port: int) -> Header:
    """Return the header that requests have on their way through this node."""
    return _HOST, b"127.0.0.1:%d" % port


def user_header(user_id: str) -> Header:
    """Return the header that names a user."""
    return _USER, user_id.encode()


def with_user_header(headers: Sequence[Header], user_id: str) -> Sequence[Header]:
    """Return headers that name a user, and no other one."""
    return [*(it for it in headers if it[0] != _USER), user_header(user_id)]


def with_operator(headers: Sequence[Header], token: bytes) -> Sequence[Header]:
    """Return headers with the operator's token of this node, also if it is not the first that they get."""
    return [*(it for it in headers if it[0] != _OPERATOR), (_OPERATOR, token)]
