"""Encodes a reply for `/exec`: the `re:` line, the body and the three events; see docs/reference/http.md."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from stringd.api.replies import Kind, Outcome, Reply
from stringd.api.sessions import Location, TopicName
from stringd.text.escaping import visible, visible_line, without_controls
from stringd.text.wire_json import dump_json

# Shorter texts are encoded as quickly as they are found, and longer ones would take too much memory.
_OPENED_AGAIN = range(500, 20_000)
_EVENTS = b"event: head\ndata: %b\n\nevent: content\ndata: %b\n\nevent: done\ndata: {}\n\n"


class Request(NamedTuple):
    """The parts of a client's request that the answer repeats."""

    user_id: str
    topic: TopicName
    cmd: str
    request_id: str | None


def encode_events(request: Request, outcome: Outcome) -> bytes:
    """Return the whole stream: head, content, done."""
    answered = f"re: {_prefix(request.request_id)}{outcome.label}\n"
    return _EVENTS % (dump_json(_head(request, outcome)), _content(answered, outcome.reply))


def reply_text(reply: Reply) -> str:
    """Return a reply as clients read it, with control characters escaped."""
    return visible(body(reply))


def body(reply: Reply) -> str:
    """Return the reply as text: system line, `---`, content, or an `ERROR(CODE)` line."""
    if reply.kind is Kind.ERROR:
        return "\n".join((f"ERROR({reply.code}): {reply.system}", *reply.context))
    return reply.system if reply.content is None else _above_content(reply) + reply.content


def place_as_json(place: Location | None) -> dict[str, str | None] | None:
    """Return a location as `head` events and lists of sessions contain it."""
    if place is None:
        return None
    return {
        "uri": visible_line(place.uri),
        "title": place.title and visible_line(place.title),
        "current_block": place.block and visible_line(place.block),
    }


def _content(answered: str, reply: Reply) -> bytes:
    if reply.kind is not Kind.PAGE or len(reply.content or "") not in _OPENED_AGAIN:
        return dump_json(answered + reply_text(reply))
    above = dump_json(answered + visible(_above_content(reply)))
    # Two texts beside each other are encoded as each is alone.
    return above[:-1] + _encoded(reply.content or "")[1:]


@lru_cache(maxsize=64)
def _encoded(text: str) -> bytes:
    """Return a text as JSON, with control characters escaped; pages are opened again and again."""
    return dump_json(visible(text))


def _above_content(reply: Reply) -> str:
    return f"{reply.system}\n---\n" if reply.system else ""


def _prefix(request_id: str | None) -> str:
    return "" if request_id is None else f"[{without_controls(request_id)}] "


def _head(request: Request, outcome: Outcome) -> dict[str, object]:
    return {
        "ok": outcome.reply.code is None,
        "code": outcome.reply.code,
        "cmd": outcome.label,
        "request_id": request.request_id,
        "user_id": request.user_id,
        "topic": request.topic.text,
        "topic_type": request.topic.type,
        "meta": place_as_json(outcome.document),
    }
