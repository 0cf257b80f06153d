"""A reply on the wire: the `re:` body and the three events of its stream (seed 1, "POST /exec"; seed 3)."""

from __future__ import annotations

from dataclasses import dataclass
from json import JSONEncoder

from stringd.contracts.documents import Place
from stringd.contracts.replies import Kind, Outcome, Reply
from stringd.contracts.sessions import TopicName
from stringd.text.command_line import label, without_controls

_encode = JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
DONE = b"event: done\ndata: {}\n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a client asked for, as the envelope repeats it."""

    user_id: str
    topic: TopicName
    cmd: str
    request_id: str | None


def encode_events(request: Request, outcome: Outcome) -> bytes:
    """Return the whole stream: head, content, done.

    A lone surrogate (a file name that is not UTF-8, say) becomes `?`: JSON text has no form for it.
    """
    head = _encode(_head(request, outcome.reply, outcome.document))
    content = _encode(f"re: {_prefix(request.request_id)}{label(request.cmd)}\n{body(outcome.reply)}")
    return f"event: head\ndata: {head}\n\nevent: content\ndata: {content}\n\n".encode(errors="replace") + DONE


def body(reply: Reply) -> str:
    """Return the reply as seed 3 writes it."""
    if reply.kind is Kind.ERROR:
        return "\n".join((f"ERROR({reply.code}): {reply.system}", *reply.context))
    if reply.content is None:
        return reply.system
    return f"{reply.system}\n---\n{reply.content}" if reply.system else reply.content


def place_as_json(place: Place | None) -> dict[str, str | None] | None:
    """Return a place as heads and listings show it."""
    if place is None:
        return None
    return {"uri": place.uri, "title": place.title, "current_block": place.block}


def _prefix(request_id: str | None) -> str:
    return "" if request_id is None else f"[{without_controls(request_id)}] "


def _head(request: Request, reply: Reply, document: Place | None) -> dict[str, object]:
    return {
        "ok": reply.ok,
        "code": reply.code,
        "cmd": label(request.cmd),
        "request_id": request.request_id,
        "user_id": request.user_id,
        "topic": str(request.topic),
        "topic_type": request.topic.type,
        "meta": place_as_json(document),
    }
