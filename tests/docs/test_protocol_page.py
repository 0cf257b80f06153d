"""The page of protocol v0.2 has the scope of every endpoint, with where it names a user, and all codes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from stringd_cluster.access import scopes
from stringd_cluster.access.scopes import EndpointRule, UserPlace
from tests.docs.pages import text_of

PAGE = text_of("docs/reference/protocol-v0.2.md")
ROW = re.compile(
    r"^\| (?P<method>[A-Z]+|any) \| `(?P<path>/[^`]*)` \| (?:`(?P<scope>\w+)`|none) \| (?P<users>[^|]*)\|$",
    re.MULTILINE,
)
PLACES = {
    UserPlace.HEADER: "`X-User-Id`",
    UserPlace.QUERY_USER_ID: "query `user_id`",
    UserPlace.QUERY_USER: "query `user`",
    UserPlace.PATH: "path",
    UserPlace.BODY_USER_ID: "body `user_id`",
    UserPlace.BODY_ID: "body `id`",
}
Endpoint = tuple[str, str]
Described = tuple[str | None, frozenset[str]]


def described() -> dict[Endpoint, Described]:
    """What the page says of each endpoint, whose path ends where a name of something begins."""
    return {
        (row["method"], row["path"].partition(":")[0]): (
            row["scope"],
            frozenset(it for it in row["users"].strip().split(", ") if it),
        )
        for row in ROW.finditer(PAGE)
    }


def listed(table: Mapping[str, Mapping[str, EndpointRule]]) -> Iterator[tuple[Endpoint, Described]]:
    """What a table of the plugin says of each endpoint."""
    for path, rules in table.items():
        for method, rule in rules.items():
            users = frozenset(PLACES[it] for it in rule.users)
            yield ("any" if method == "*" else method, path), (rule.scope and str(rule.scope), users)


def test_the_page_has_the_scope_of_every_endpoint() -> None:
    assert described() == dict([*listed(scopes._EXACT), *listed(scopes._PREFIXES)])
