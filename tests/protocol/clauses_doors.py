"""Requirements of doors: what plugins put in front of the daemon."""

from __future__ import annotations

from tests.protocol.records import requirements

DOORS = requirements(
    "docs/reference/hooks.md#stringd_doorsruntime",
    ("doors.listen", "A door is in front of the request guard; its sockets replace the port on loopback."),
    ("doors.name", "Each request, WebSockets included, carries the name of the socket by which it came."),
    ("doors.tls", "A socket may speak TLS."),
    ("doors.mutual", "A socket that wants certificates of clients admits only those of its authority."),
    ("doors.peer", "A request carries the certificate of a client that had to show one."),
    ("doors.handshake", "TLS handshakes end within their time, and only so many are under way."),
    ("doors.deadlines", "The deadlines and limits of connections hold for TLS, too."),
    ("doors.cors", "With a door that closes CORS, no answer has CORS headers."),
    ("doors.errors", "What a door raises is answered in the shape of all errors."),
)
