"""Requirements on the door of a node: whom it admits, and what ends with a token."""

from __future__ import annotations

from tests.protocol.records import requirements

CLUSTER_DOOR = requirements(
    "docs/reference/protocol-v0.2.md",
    ("cluster.door.token", "Every request wants a token; the headers of v0.1 alone are refused."),
    ("cluster.door.open", "Only /health is open; it says which protocol the daemon speaks."),
    (
        "cluster.door.returns",
        "A browser returns from a sign-in without a token, at any node, once; other returns end nothing.",
    ),
    ("cluster.door.alike", "Malformed, unknown, expired and revoked tokens get one and the same answer."),
    ("cluster.door.revoked", "A token is refused within five seconds after it was revoked."),
    ("cluster.door.scope", "A token whose scope is too narrow is refused, and told which one is wanted."),
    ("cluster.door.users", "A token without admin is for its own user, whatever the request names."),
    ("cluster.door.admin", "An admin acts for the user that the request names, which is one."),
    ("cluster.door.operator", "The operator's token and an admin's are as good as each other."),
    ("cluster.door.ambiguous", "A header by which the door decides is refused if it is sent twice."),
    ("cluster.door.every", "All this holds for every endpoint, and every place in which it reads a user."),
    (
        "cluster.door.alike_users",
        "Another user is refused in the same way whether it exists or not, without looking it up.",
    ),
    ("cluster.door.streams", "Streams and WebSockets end within five seconds after their token."),
    ("cluster.door.handshake", "A WebSocket's token is in its header, never in a URL or a subprotocol."),
    ("cluster.door.memory", "What was sent in the head of a request fills no memory once it is answered."),
    (
        "cluster.door.strangers",
        "For who is not registered, a node answers as a single daemon, and nobody claims a home.",
    ),
    ("cluster.door.limits", "The limit of a user is exact, whichever nodes the requests come to."),
    (
        "cluster.door.attempts",
        "An address that sends many invalid tokens must wait; known tokens are let in.",
    ),
    ("cluster.door.cors", "CORS is closed: no answer permits it, and preflight requests are refused."),
    ("cluster.door.host", "A node answers to any name, and to pages of that very origin."),
    ("cluster.door.console", "The console is open at the door: a link signs a browser in, and nothing else."),
    ("cluster.door.tls", "With a certificate, clients are served over TLS only."),
    (
        "cluster.door.certificate",
        "A certificate is read again when it changes; a wrong one is reported.",
    ),
    ("cluster.door.hop", "What nodes tell each other is not taken from clients."),
)
