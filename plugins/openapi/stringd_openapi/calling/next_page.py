"""Find where an answer continues: a `Link` header, the URL of the next page, or a cursor."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from msgspec import Struct, field
from msgspec.structs import asdict, replace

_LINK = re.compile(r"<([^<>]*)>([^<]*)")
_REL = re.compile(r"""\brel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))""", re.IGNORECASE)
_URL_PATHS = (
    *("next", "next_url", "nextUrl", "nextLink", "@odata.nextLink", "odata.nextLink", "next_page_url"),
    *("next_page_uri", "nextPageUri", "next_uri", "links.next", "links.next.href", "_links.next"),
    *("_links.next.href", "paging.next", "paging.next.link", "pagination.next", "pagination.next_url"),
    *("pagination.nextUrl", "meta.next", "meta.next_url", "pages.next", "nextRecordsUrl"),
)
# Where a cursor is in an answer, and which parameters take it in the next request.
_CURSORS = (
    ("nextPageToken", ("pageToken",)),
    ("next_page_token", ("page_token",)),
    ("next_cursor", ("cursor", "start_cursor", "after", "page_cursor")),
    ("nextCursor", ("cursor", "after")),
    ("next_token", ("next_token", "pagination_token")),
    ("nextToken", ("nextToken",)),
    ("NextToken", ("NextToken",)),
    ("meta.next_token", ("pagination_token", "next_token")),
    ("meta.next_cursor", ("cursor", "page[cursor]")),
    ("response_metadata.next_cursor", ("cursor",)),
    ("pagination.next_cursor", ("cursor", "after")),
    ("pagination.cursor", ("after", "cursor")),
    ("paging.cursors.after", ("after",)),
    ("paging.next.after", ("after",)),
    ("cursor.next", ("cursor",)),
    ("cursors.next", ("cursor",)),
    ("metadata.continue", ("continue",)),
    ("next_page", ("page",)),
    ("nextPage", ("page",)),
    ("pagination.next_page", ("page",)),
    ("meta.next_page", ("page",)),
    ("cursor", ("cursor",)),
    ("continuationToken", ("continuationToken",)),
    ("continuation_token", ("continuation_token",)),
    ("offset", ("offset",)),
)
_LONGEST = 8_000


class SentRequest(Struct, frozen=True, kw_only=True):
    """A request without its secrets, which can be sent again for another page.

    `zone` is the network zone of the server that named its URL: it leads to no nearer one.
    """

    operation: str
    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    cookies: tuple[str, ...] = ()
    body: str | None = None
    zone: int | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the request as a JSON value."""
        return {**asdict(self), "headers": dict(self.headers), "cookies": list(self.cookies)}

    @staticmethod
    def from_json(value: Any) -> SentRequest | None:
        """Return the request of a JSON value; None if it is none."""
        try:
            kept = {"headers": dict(value["headers"]), "cookies": tuple(value["cookies"])}
            return SentRequest(**{**value, **kept})
        except (KeyError, TypeError, ValueError):
            return None


def next_request(
    sent: SentRequest, takes: frozenset[str], headers: Mapping[str, str], body: Any
) -> SentRequest | None:
    """Return the request for the next page; `takes` are the parameters that the operation has."""
    for url in (_linked(headers), *_urls(body)):
        joined = _joined(sent.url, url)
        if joined and joined != sent.url and sent.method == "GET":
            return replace(sent, url=joined)
    return _after_cursor(sent, takes, body) if isinstance(body, Mapping) else None


def _linked(headers: Mapping[str, str]) -> str:
    for url, parameters in _LINK.findall(headers.get("link", "")):
        relation = _REL.search(parameters)
        if relation and "next" in (relation[1] or relation[2] or "").lower().split():
            return str(url)
    return ""


def _urls(body: Any) -> Iterator[str]:
    for path in _URL_PATHS:
        found = _at(body, path)
        if isinstance(found, str) and found.startswith(("http://", "https://", "/", "?")):
            yield found


def _at(body: Any, path: str) -> Any:
    if isinstance(body, Mapping) and path in body:
        return body[path]
    for name in path.split("."):
        body = body.get(name) if isinstance(body, Mapping) else None
    return body


def _joined(base: str, url: str) -> str:
    try:
        joined = urljoin(base, url) if url and url.isprintable() and len(url) <= _LONGEST else ""
        return joined if urlsplit(joined).scheme in {"http", "https"} else ""
    except ValueError:
        return ""


def _after_cursor(sent: SentRequest, takes: frozenset[str], body: Mapping[str, Any]) -> SentRequest | None:
    if body.get("has_more", body.get("hasMore", True)) is False:
        return None
    for path, parameters in _CURSORS:
        cursor = _at(body, path)
        name = next((it for it in parameters if it in takes), None)
        is_one = isinstance(cursor, str | int) and not isinstance(cursor, bool) and cursor != ""
        if name and is_one and len(str(cursor)) <= _LONGEST:
            return _with(sent, name, cursor)
    last = _last_id(body)
    if last and "starting_after" in takes and body.get("has_more") is True:
        return _with(sent, "starting_after", last)
    return None


def _last_id(body: Mapping[str, Any]) -> str:
    data = body.get("data")
    last = data[-1] if isinstance(data, list) and data else None
    found = last.get("id") if isinstance(last, Mapping) else None
    return found if isinstance(found, str) else ""


def _with(sent: SentRequest, name: str, cursor: str | int) -> SentRequest | None:
    """Return the request with the cursor in its query, or in its body if it is an object."""
    changed = _with_member(sent, name, cursor) if sent.body is not None else _with_pair(sent, name, cursor)
    return None if changed == sent else changed


def _with_pair(sent: SentRequest, name: str, cursor: str | int) -> SentRequest:
    parts = urlsplit(sent.url)
    pairs = [(key, it) for key, it in parse_qsl(parts.query, keep_blank_values=True) if key != name]
    query = urlencode([*pairs, (name, str(cursor))])
    return replace(sent, url=parts._replace(query=query).geturl())


def _with_member(sent: SentRequest, name: str, cursor: str | int) -> SentRequest:
    try:
        body = json.loads(sent.body or "")
    except ValueError:
        return sent
    if not isinstance(body, dict):
        return sent
    return replace(sent, body=json.dumps({**body, name: cursor}, ensure_ascii=False))
