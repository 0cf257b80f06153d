"""A server on loopback that answers like Gmail."""

from __future__ import annotations

import email
import email.policy
import json
import threading
from base64 import urlsafe_b64decode, urlsafe_b64encode
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qsl, unquote, urlsplit

TOKEN = "ya29.a-token"
MESSAGES = "/gmail/v1/users/me/messages"
Answer = tuple[int, dict[str, Any]]


def refusal(code: int, message: str, status: str) -> Answer:
    """An error in the format of Google's services."""
    reason = {"message": message, "domain": "global", "reason": status.lower()}
    return code, {"error": {"code": code, "message": message, "errors": [reason], "status": status}}


def part(mime_type: str, text: str) -> dict[str, Any]:
    """One part of a message: its content is base64 for URLs, without padding."""
    data = urlsafe_b64encode(text.encode()).decode().rstrip("=")
    return {"mimeType": mime_type, "body": {"size": len(text.encode()), "data": data}}


def message(name: str, sender: str, subject: str, text: str) -> dict[str, Any]:
    """A message of plain text and HTML."""
    headers = {
        "From": sender,
        "To": "me@example.com",
        "Subject": subject,
        "Date": "Wed, 18 Nov 2026 09:00:00 +0000",
    }
    return {
        "id": name,
        "threadId": name,
        "labelIds": ["INBOX"],
        "snippet": text[:20],
        "payload": {
            "mimeType": "multipart/alternative",
            "headers": [{"name": key, "value": value} for key, value in headers.items()],
            "body": {"size": 0},
            "parts": [part("text/plain", text), part("text/html", f"<p>{text}</p>")],
        },
    }


class Gmail:
    """The server with one mailbox; `sent` are the messages that it accepted."""

    def __init__(self) -> None:
        self.mailbox = {
            it["id"]: it
            for it in (
                message("18c1", "Ada <ada@example.com>", "Friday", "Are you there on Friday? ✓\r\n"),
                message("18c2", "Bob <bob@example.com>", "Invoice", "Please find it attached."),
            )
        }
        self.sent: list[EmailMessage] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer(*service.get(self.path, self.headers.get("Authorization", "")))

            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self._answer(*service.post(self.path, self.headers.get("Authorization", ""), data))

            def _answer(self, status: int, body: dict[str, Any]) -> None:
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json; charset=UTF-8")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def get(self, target: str, authorization: str) -> Answer:
        """A listing of ids, or a message."""
        url = urlsplit(target)
        if authorization != f"Bearer {TOKEN}":
            return self._unauthorized()
        if url.path == MESSAGES:
            return self._listing(dict(parse_qsl(url.query)))
        found = self.mailbox.get(unquote(url.path.removeprefix(f"{MESSAGES}/")))
        return (200, found) if found else self._not_found()

    def post(self, target: str, authorization: str, data: bytes) -> Answer:
        """Sends a message, or moves one to the trash."""
        path = urlsplit(target).path.removeprefix(f"{MESSAGES}/")
        if authorization != f"Bearer {TOKEN}":
            return self._unauthorized()
        if path == "send":
            return self._send(json.loads(data))
        name = path.removesuffix("/trash")
        if name not in self.mailbox:
            return self._not_found()
        del self.mailbox[name]
        return 200, {"id": name, "threadId": name, "labelIds": ["TRASH"]}

    def _listing(self, query: dict[str, str]) -> Answer:
        wanted = query.get("q", "").removeprefix("from:") if "from:" in query.get("q", "") else ""
        found = [
            {"id": it["id"], "threadId": it["threadId"]}
            for it in self.mailbox.values()
            if wanted in it["payload"]["headers"][0]["value"]
        ][: int(query.get("maxResults", 100))]
        return 200, {**({"messages": found} if found else {}), "resultSizeEstimate": len(found)}

    def _send(self, body: dict[str, str]) -> Answer:
        raw = urlsafe_b64decode(body["raw"])
        taken = email.message_from_bytes(raw, policy=email.policy.default)
        assert isinstance(taken, EmailMessage)
        if not taken["To"]:
            return refusal(400, "Recipient address required", "INVALID_ARGUMENT")
        self.sent.append(taken)
        return 200, {"id": "18c9", "threadId": "18c9", "labelIds": ["SENT"]}

    def _unauthorized(self) -> Answer:
        return refusal(401, "Request had invalid authentication credentials.", "UNAUTHENTICATED")

    def _not_found(self) -> Answer:
        return refusal(404, "Requested entity was not found.", "NOT_FOUND")

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
