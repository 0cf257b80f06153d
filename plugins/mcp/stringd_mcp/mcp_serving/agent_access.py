"""Who an agent acts as, and which types of topics it is offered."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qs

from msgspec import Struct

from stringd.plugin import ErrorCode, RequestRefused, Runtime, TopicName, TopicTypeHelp
from stringd.plugin.text import nearest

ACCESS = "stringd_mcp.access"
"""Where the access of an HTTP request is in its ASGI scope."""

_DEFAULT_USER = "default"
_MOST_FIELDS = 20


class InvalidAccess(RequestRefused):
    """Parameters of the URL that can't be used."""

    code = ErrorCode.INVALID_REQUEST


class TopicNotOffered(RequestRefused):
    """A topic of a type that the agent may not use."""

    command_code = ErrorCode.INVALID_TARGET


# Compared by identity: two connections are two accesses.
class AgentAccess(Struct, frozen=True, kw_only=True, eq=False):
    """The user of an agent, and the types of topics that it may use; None for all."""

    user_id: str
    types: frozenset[str] | None = None

    def topic_types(self, runtime: Runtime) -> Mapping[str, TopicTypeHelp]:
        """Return the topic types that the agent may use."""
        return {name: it for name, it in runtime.topic_types.items() if self.allows(name)}

    def allows(self, topic_type: str) -> bool:
        """Whether the agent may use topics of a type."""
        return self.types is None or topic_type in self.types

    def topic(self, runtime: Runtime, raw: object) -> TopicName:
        """Return a topic that the agent may use, or raise `RequestRefused`."""
        name = runtime.topic_name(raw)
        if not self.allows(name.type):
            allowed = ", ".join(sorted(self.types or ()))
            raise TopicNotOffered(f"This agent may not use {name.type} topics, only: {allowed}")
        return name


def access_of(runtime: Runtime, query: bytes, header: str) -> AgentAccess:
    """Return the access that a request asks for: `?user=…&topics=…`, or else the header `X-User-Id`."""
    if not query:
        return AgentAccess(user_id=_text(header).strip() or _DEFAULT_USER)
    fields = _fields(query)
    user_id = fields.get("user", [""])[-1] or _text(header).strip() or _DEFAULT_USER
    if "topics" not in fields:
        return AgentAccess(user_id=user_id)
    names = [name.strip() for it in fields["topics"] for name in it.split(",") if name.strip()]
    for name in names:
        if name not in runtime.topic_types:
            near = nearest(name, runtime.topic_types)
            raise InvalidAccess(
                f"Unknown topic type: {name}" + (f" (nearest: {near})" if near else ""),
            )
    if not names:
        raise InvalidAccess("`topics` names no topic type.")
    return AgentAccess(user_id=user_id, types=frozenset(names))


def _fields(query: bytes) -> Mapping[str, list[str]]:
    try:
        return parse_qs(query.decode("latin-1"), keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise InvalidAccess(f"The URL has more than {_MOST_FIELDS} parameters.") from None


def _text(header: str) -> str:
    try:
        return header.encode("latin-1").decode()
    except UnicodeError:
        return header
