"""Requirements on requests that one node of a cluster passes on to another."""

from __future__ import annotations

from tests.protocol.records import requirements

CLUSTER_HOP = requirements(
    "docs/reference/protocol-v0.2.md#which-node-answers",
    ("cluster.hop.whole", "A request arrives at the node with the home as it was sent, and its answer back."),
    ("cluster.hop.connection", "Headers of one connection do not pass, nor do clients' copies of the hop's."),
    ("cluster.hop.peers", "Nodes reach each other by mutual TLS 1.3 only, and ask the node that is meant."),
    ("cluster.hop.streams", "Bodies and answers of any length pass as they arrive, in bounded memory."),
    ("cluster.hop.pressure", "A client that reads slowly slows the node with the home down."),
    ("cluster.hop.disconnects", "A client that leaves has left for the node with the home, too."),
    (
        "cluster.hop.elsewhere",
        "A node without the home answers 421, and the right one is asked, body and all.",
    ),
    ("cluster.hop.here", "A home that came to the node meanwhile is served there."),
    ("cluster.hop.never_ran", "What no node has run is tried at the next owner, for a bounded time."),
    ("cluster.hop.safe", "A request that changes nothing is repeated if its answer is lost."),
    ("cluster.hop.unknown", "If it may have run, a lost answer is OUTCOME_UNKNOWN, which says what to do."),
    (
        "cluster.hop.once",
        "A command with a request id is repeated; a refusal then does not say that it never ran.",
    ),
    (
        "cluster.hop.lease",
        "The end of the owner's lease interrupts what waits for it, whatever its connections.",
    ),
    (
        "cluster.hop.cut_streams",
        "A stream or WebSocket whose node is lost ends such that the client notices.",
    ),
    (
        "cluster.hop.websockets",
        "WebSockets pass in both directions, with subprotocol, refusal and closing code.",
    ),
    ("cluster.hop.reset", "A peer that resets a connection at once closes no other one."),
    ("cluster.hop.calls", "A node can call another one, as a user or as the operator."),
)
