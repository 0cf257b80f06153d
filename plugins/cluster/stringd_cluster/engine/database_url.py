"""URLs of databases, which are shown without their passwords."""

from __future__ import annotations

import re
from urllib.parse import parse_qs

from stringd.plugin import Fault

_URL = re.compile(
    r"postgres(?:ql)?://(?:(?P<user>[^:@/?#]*)(?::[^:@/?#]*)?@)?"
    r"(?P<hosts>(?:[^:@/?#,\[\]]|\[[0-9a-fA-F:.]+\])*(?::[0-9]+)?(?:,[^@/?#]*)?)"
    r"(?:/(?P<database>[^/?#]*))?(?:\?(?P<query>[^#]*))?"
)
_MISUSE = 2


class UnreadableUrl(Fault):
    """A text that is not the URL of a PostgreSQL database; the message does not quote it."""

    def __init__(self) -> None:
        super().__init__(
            "this is not the URL of a PostgreSQL database, such as postgresql://USER@HOST:5432/DATABASE; "
            "special characters of a password are written as in web addresses (%40 for @), "
            "or it is in PGPASSWORD or PGPASSFILE",
            exit_code=_MISUSE,
        )


def check_url(url: str) -> None:
    """Raise `UnreadableUrl` for what can be no URL, or could be read in more than one way."""
    if _URL.fullmatch(url) is None:
        raise UnreadableUrl


def shown_url(url: str) -> str:
    """Return a URL without its password, or nothing of it if it can't be read."""
    parts = _URL.fullmatch(url)
    if parts is None:
        return "the database"
    user = f"{parts['user']}@" if parts["user"] else ""
    hosts = parts["hosts"] or ",".join(parse_qs(parts["query"] or "").get("host", ["localhost"]))
    return f"postgresql://{user}{hosts}/{parts['database'] or ''}"
