"""Build the HTTP request of an action call by filling the values into the author's texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from urllib.parse import quote

from msgspec import Struct

from stringd.actions.http.value_encoders import (
    IN_HEADER,
    IN_URL,
    JSON,
    body_encoder,
    content_type_of,
    left_over_body,
)
from stringd.actions.values.placeholders import PlaceholderFiller, find_placeholders
from stringd.actions.values.typed_values import Value, as_text
from stringd.api.http import HttpRequest
from stringd.api.zones import Zone
from stringd.documents.syntax.actions import Action
from stringd.errors import ErrorCode, Refusal

_URL = re.compile(
    r"(?P<origin>https?://(?P<authority>[^/?#]+))(?P<path>[^?#]*)(?P<query>\?[^#]*)?", re.IGNORECASE
)
ALWAYS_SENSITIVE = frozenset({"authorization", "cookie", "proxy-authorization"})
_DOT_SEGMENTS = frozenset({".", ".."})
_QUERY_METHODS = frozenset({"GET", "DELETE"})
_DEFAULT_ACCEPT = "application/json, text/markdown;q=0.9, */*;q=0.8"


class PreparedRequest(Struct, frozen=True, kw_only=True):
    """A request, its headers that other hosts must not get, and whether its body holds a secret."""

    request: HttpRequest
    sensitive: frozenset[str]
    body_holds_secret: bool


def build_request(
    action: Action,
    values: Mapping[str, Value],
    filling: PlaceholderFiller,
    *,
    nearest_zone: Zone = Zone.LOOPBACK,
    own: bool = False,
) -> PreparedRequest:
    """Return the request of a call; values without a placeholder go into the query or a generated body."""
    headers, sensitive = _headers(action, filling)
    left_over = dict(_left_over(action, values))
    in_query = action.method in _QUERY_METHODS
    origin, target = _address(action, filling, left_over if in_query else {})
    body, holds_secret = None, False
    if action.body is not None:
        content_type = content_type_of(action.body, headers)
        filled = filling.fill(action.body, body_encoder(action.body, content_type))
        headers, body = {"content-type": content_type, **headers}, filled.text
        holds_secret = filled.holds_secret
    elif left_over and not in_query:
        headers = {"content-type": JSON, **headers}
        body = left_over_body(left_over, headers["content-type"])
        holds_secret = filling.holds_secret(left_over)
    request = HttpRequest(
        method=action.method,
        origin=origin,
        target=target,
        headers={"accept": _DEFAULT_ACCEPT, **headers},
        body=None if body is None else body.encode(),
        nearest_zone=nearest_zone,
        own=own,
    )
    return PreparedRequest(
        request=request, sensitive=sensitive | ALWAYS_SENSITIVE, body_holds_secret=holds_secret
    )


def _headers(action: Action, filling: PlaceholderFiller) -> tuple[dict[str, str], frozenset[str]]:
    filled = {name.lower(): filling.fill(text, IN_HEADER) for name, text in action.headers}
    headers = {name: it.text.strip() for name, it in filled.items()}
    return headers, frozenset(name for name, it in filled.items() if it.holds_secret)


def _left_over(action: Action, values: Mapping[str, Value]) -> Iterator[tuple[str, Value]]:
    texts = (action.target, action.body or "", *(text for _, text in action.headers))
    used = {placeholder.name for text in texts for placeholder in find_placeholders(text, values)}
    return ((name, value) for name, value in values.items() if name not in used)


def _address(action: Action, filling: PlaceholderFiller, query: Mapping[str, Value]) -> tuple[str, str]:
    url = filling.fill(action.target, IN_URL).text
    found = _URL.match(url)
    if found is None:
        raise Refusal(
            ErrorCode.INVALID_TARGET, f"act.{action.id} has no URL that begins with http:// or https://"
        )
    _refuse_dot_segments(action, found["path"], filling)
    added = "&".join(f"{quote(name, safe='')}={quote(as_text(it), safe='')}" for name, it in query.items())
    given = found["query"] or ""
    joint = "" if not added else "?" if not given else "&" if len(given) > 1 else ""
    return found["origin"], f"{found['path'] or '/'}{given}{joint}{added}"


def _refuse_dot_segments(action: Action, path: str, filling: PlaceholderFiller) -> None:
    """Refuse values that add dot segments to the path; the author's own ones are kept."""
    segments = [part for part in path.split("/") if part in _DOT_SEGMENTS]
    own = [part for part in action.target.partition("?")[0].split("/") if part in _DOT_SEGMENTS]
    if segments != own:
        names = ", ".join(sorted({it.name for it in filling.placeholders(action.target)}))
        raise Refusal(
            ErrorCode.INVALID_PARAMS, f"{names}: expected a part of the URL's path, received . or .."
        )
