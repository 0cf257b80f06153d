"""The actions that parse and compose messages."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from email.errors import MessageError
from email.message import EmailMessage
from typing import Annotated, Any

from stringd.plugin import Refusal
from stringd_app import Context, Param
from stringd_gmail.service import call

_SHOWN = ("From", "To", "Date", "Subject")


async def read(
    context: Context, mail: Annotated[str, Param(description="@mail-N, or an id", alias="m")]
) -> str:
    """Show a message: who, when, what about, and its text."""
    payload = (await call(context, "GET", mail))["payload"]
    headers = {it["name"].title(): it["value"] for it in payload["headers"]}
    lines = [f"{name}: {headers[name]}" for name in _SHOWN if name in headers]
    text = next(_texts(payload), "(no text)")
    return "\n".join((*lines, "", text.strip()))


async def send(
    context: Context,
    to: Annotated[str, Param(description="An address", alias="t")],
    subject: Annotated[str, Param(alias="s")],
    text: Annotated[str, Param(alias="b")],
    cc: str | None = None,
) -> str:
    """Send a message of plain text."""
    message = EmailMessage()
    try:
        message["To"], message["Subject"] = to, subject
        if cc:
            message["Cc"] = cc
    except (ValueError, MessageError) as error:
        raise Refusal("INVALID_PARAMS", f"No such header can be sent: {error}") from error
    message.set_content(text)
    raw = urlsafe_b64encode(message.as_bytes()).decode()
    sent = await call(context, "POST", "send", json={"raw": raw})
    return f"Sent to {to}: {sent['id']}"


def _texts(part: dict[str, Any]) -> Iterator[str]:
    """Yield the plain-text parts of a message, the outermost first."""
    data = part.get("body", {}).get("data")
    if part.get("mimeType") == "text/plain" and data:
        yield urlsafe_b64decode(data + "=" * (-len(data) % 4)).decode(errors="replace")
    for inner in part.get("parts", ()):
        yield from _texts(inner)
