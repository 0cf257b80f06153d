"""What a person looks for in the log: entries by kind, user, topic, text and time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct

from stringd.plugin import ErrorCode, Refusal
from stringd_approval.audit.log_line import RESERVED

_LONGEST = 200
FIELDS = ("kind", "user", "topic", "text", "since", "until")


class EntryFilter(Struct, frozen=True, kw_only=True):
    """Accepts entries that meet all conditions; empty ones are met by all.

    The user and topic of a request are those of its arrival; its other entries only have its id.
    """

    kind: str = ""
    user: str = ""
    topic: str = ""
    text: str = ""
    since: str = ""
    until: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether everything is accepted."""
        return self == EntryFilter()

    def accepts(self, fields: Mapping[str, Any]) -> bool:
        """Return whether an entry is what is looked for."""
        at = str(fields.get("at", ""))
        return (
            self.kind in {"", fields.get("kind")}
            and self.user in {"", fields.get("user_id")}
            and self.topic.lower() in str(fields.get("topic") or "").lower()
            and (not self.since or at >= self.since)
            and (not self.until or at < self.until)
            and (not self.text or self.text.lower() in own_text(fields).lower())
        )


def filter_of(query: Mapping[str, str]) -> EntryFilter:
    """Return the filter of a query; times are of the time zone that `zone` gives in minutes."""
    given = {name: query.get(name, "").strip()[:_LONGEST] for name in FIELDS}
    zone = query.get("zone", "")
    for name in ("since", "until"):
        given[name] = _utc(given[name], zone) if given[name] else ""
    return EntryFilter(**given)


def own_text(fields: Mapping[str, Any]) -> str:
    """Return the fields of an entry's own as text, in which texts are found."""
    return json.dumps({name: it for name, it in fields.items() if name not in RESERVED}, ensure_ascii=False)


def _utc(text: str, zone: str) -> str:
    """Return a local time as the log has times, so that they compare as texts."""
    try:
        when = datetime.fromisoformat(text).replace(tzinfo=UTC)
        minutes = int(zone or "0")
        return datetime.fromtimestamp(when.timestamp() + minutes * 60, UTC).isoformat()[:19]
    except (ValueError, OverflowError, OSError):
        raise Refusal(ErrorCode.NOT_FOUND, "The time must be like 2026-11-19T23:50.") from None
