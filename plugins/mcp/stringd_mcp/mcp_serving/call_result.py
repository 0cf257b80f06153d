"""The result of a call, as agents get it: text, structured fields, and the image of a page about one."""

from __future__ import annotations

import base64
from typing import Any, TypeAlias

from msgspec import Struct

from stringd.plugin import Location, Reply
from stringd.plugin.documents import ShownImage
from stringd.plugin.text import reply_text

CallResult: TypeAlias = dict[str, Any]
"""A `CallToolResult` in the format of the wire, which the SDK checks; its records would cost as much."""


class CallOutcome(Struct, frozen=True, kw_only=True):
    """What came of a call; of one in a topic, also where the topic is, and the image that it shows."""

    reply: Reply
    topic: str | None = None
    document: Location | None = None
    image: ShownImage | None = None


def call_result(outcome: CallOutcome) -> CallResult:
    """Return the result of a call."""
    reply = outcome.reply
    content = [{"type": "text", "text": reply_text(reply)}]
    if image := outcome.image:
        data = base64.b64encode(image.data).decode("ascii")
        content.append({"type": "image", "data": data, "mimeType": image.media_type})
    return {
        "content": content,
        "structuredContent": _structured(outcome),
        "isError": not reply.ok,
        "resultType": "complete",
    }


def _structured(outcome: CallOutcome) -> dict[str, Any]:
    reply, document = outcome.reply, outcome.document
    fields: dict[str, Any] = {"ok": reply.ok, "code": None if reply.code is None else str(reply.code)}
    if outcome.topic is None:
        return fields
    return {
        **fields,
        "topic": outcome.topic,
        "uri": document.uri if document else None,
        "title": document.title if document else None,
        "kind": reply.kind.name.lower(),
    }
