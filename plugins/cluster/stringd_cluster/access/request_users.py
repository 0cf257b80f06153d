"""The users that a request names in its query, its path and its body, and the one that it is given."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, unquote_plus

import orjson

from stringd_cluster.access.scopes import UserPlace

_IN_BODY = {UserPlace.BODY_USER_ID: "user_id", UserPlace.BODY_ID: "id"}
_SHOWN = "user_id"
_IN_QUERY = {UserPlace.QUERY_USER_ID: _SHOWN, UserPlace.QUERY_USER: "user"}


def users_in_target(places: Collection[UserPlace], scope: Mapping[str, Any]) -> set[str]:
    """Return the users that the query and the path of a request name, as the endpoints read them."""
    found: set[str] = set()
    if query := scope["query_string"]:
        names = {_IN_QUERY[it] for it in places if it in _IN_QUERY}
        found.update(value for name, value in _parameters(query) if name in names)
    if UserPlace.PATH in places:
        segments = scope["raw_path"].decode("latin-1").strip("/").split("/")
        found.update(map(unquote, segments[1:2]))
    return found - {""}


def with_user(query: bytes, user_id: str) -> bytes:
    """Return a query that names a user once, as the one whose events, questions and sessions are wanted."""
    others = (it for it in query.split(b"&") if it and _name_of(it) != _SHOWN)
    return b"&".join((*others, f"{_SHOWN}={quote(user_id, safe='')}".encode()))


def users_in_body(places: Collection[UserPlace], body: bytes) -> set[str]:
    """Return the users that a body names; the endpoint refuses what names none, or is no JSON."""
    try:
        # As the endpoints do, so that both read the same.
        fields = orjson.loads(body)
    except ValueError:
        return set()
    if not isinstance(fields, dict):
        return set()
    values = (fields.get(_IN_BODY[it]) for it in places if it in _IN_BODY)
    return {value for value in values if isinstance(value, str) and value}


def _name_of(parameter: bytes) -> str:
    return unquote_plus(parameter.partition(b"=")[0].decode("latin-1"))


def _parameters(query: bytes) -> list[tuple[str, str]]:
    return parse_qsl(query.decode("latin-1"), keep_blank_values=True)
