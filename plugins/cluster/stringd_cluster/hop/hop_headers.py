"""What nodes say to each other in the heads of requests that they pass on, and what is left out of them."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Iterator
from functools import lru_cache

from msgspec import Struct

from stringd_cluster.access.scopes import Scope
from stringd_cluster.access.tokens import Principal

HOP = b"x-stringd-hop"
"""The header with the caller of a request that is passed on; clients' own copies never pass."""
ELSEWHERE = b"elsewhere"
"""What an answer says in that header if the node may not have the home: nothing has run."""
_RAW = b"x-stringd-hop-raw"
_OWN = frozenset({HOP, _RAW})
_ONE_CONNECTION = frozenset(
    {b"connection", b"keep-alive", b"proxy-connection", b"te", b"trailer", b"transfer-encoding", b"upgrade"}
)
# The server answers `Expect` by itself, when the body is wanted. Each node gives operators its own token.
_NOT_SENT = _ONE_CONNECTION | _OWN | {b"expect", b"x-operator-token"}
Headers = Iterable[tuple[bytes, bytes]]


class Caller(Struct, frozen=True, kw_only=True):
    """Who sends a request, as the node says that it came to."""

    entry: str
    """The name of that node."""
    user_id: str
    """The user that the request is for."""
    principal: Principal
    is_for_home: bool = True
    """Whether it needs the home of the user; if not, it is for the node itself."""


class BadHop(ValueError):
    """What a node says about a request can't be read."""


@lru_cache(maxsize=1024)
def encode_caller(caller: Caller) -> str:
    """Return the value of the hop's header; the entry is known by its certificate."""
    principal = caller.principal
    fields = {
        "user": caller.user_id,
        "token": principal.token_id,
        "token_user": principal.user_id,
        "scopes": sorted(principal.scopes),
        "home": caller.is_for_home,
    }
    return json.dumps(fields, separators=(",", ":"))


@lru_cache(maxsize=1024)
def decode_caller(value: bytes, entry: str) -> Caller:
    """Return the caller that a node has named, or raise `BadHop`."""
    try:
        fields = json.loads(value)
        principal = Principal(
            token_id=str(fields["token"]),
            user_id=str(fields["token_user"]),
            scopes=frozenset(map(Scope, fields["scopes"])),
        )
        return Caller(
            entry=entry,
            user_id=str(fields["user"]),
            principal=principal,
            is_for_home=fields["home"] is True,
        )
    except (ValueError, KeyError, TypeError) as error:
        raise BadHop from error


def passed_on(headers: Headers) -> list[tuple[str, str]]:
    """Return the headers of a request for the other node, without those of one connection and of hops."""
    left_out = _NOT_SENT | _named_by_connection(headers)
    return [_text(name, value) for name, value in headers if name not in left_out]


def received(headers: Headers) -> list[tuple[bytes, bytes]]:
    """Return the headers as the client has sent them, of a request that was passed on."""
    return [header for name, value in headers if name != HOP for header in _restored(name, value)]


def answered(headers: Headers) -> list[tuple[bytes, bytes]]:
    """Return the headers of an answer for the client: without the date, which its own server adds."""
    left_out = _ONE_CONNECTION | _OWN | _named_by_connection(headers)
    lowered = ((name.lower(), value) for name, value in headers)
    kept = [(name, value) for name, value in lowered if name not in left_out]
    dates = [at for at, (name, _) in enumerate(kept) if name == b"date"]
    return [header for at, header in enumerate(kept) if at not in dates[:1]]


def value_of(headers: Headers, wanted: bytes) -> bytes | None:
    """Return the first value of a header."""
    return next((value for name, value in headers if name.lower() == wanted), None)


def _named_by_connection(headers: Headers) -> frozenset[bytes]:
    names = [value for name, value in headers if name.lower() == b"connection"]
    return frozenset(it.strip().lower() for value in names for it in value.split(b","))


def _text(name: bytes, value: bytes) -> tuple[str, str]:
    try:
        return name.decode("ascii"), value.decode("ascii")
    except UnicodeDecodeError:
        # The clients of the hop disagree about how to write other characters.
        return _RAW.decode(), base64.b64encode(name + b"\0" + value).decode()


def _restored(name: bytes, value: bytes) -> Iterator[tuple[bytes, bytes]]:
    if name != _RAW:
        yield name, value
        return
    try:
        restored, _, content = base64.b64decode(value, validate=True).partition(b"\0")
    except binascii.Error as error:
        raise BadHop from error
    yield restored, content
