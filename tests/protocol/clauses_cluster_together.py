"""Requirements of the page on clusters on what all nodes show together."""

from __future__ import annotations

from tests.protocol.records import requirements

CLUSTER_TOGETHER = requirements(
    "docs/reference/protocol-v0.2.md#events-and-questions",
    ("cluster.events.everywhere", "/events shows the events of all nodes."),
    ("cluster.events.resume", "A stream goes on at another node, with no event lost or doubled."),
    ("cluster.questions.everywhere", "Questions are shown and answered at each node."),
    ("cluster.questions.operator", "An operator at any node counts for all."),
    ("cluster.questions.gone", "The questions of a node that has ended are withdrawn."),
    ("cluster.sessions", "GET /sessions without a user lists the sessions of all nodes, with their nodes."),
    (
        "cluster.console.lists",
        "The console shows the users, topics and runs of all nodes, and where they are.",
    ),
    ("cluster.console.nodes", "The console shows the nodes and their state."),
    ("cluster.console.topic", "The page of a topic works at each node, also when its home moves meanwhile."),
    ("cluster.console.access", "Only a node passes requests on for a browser, which is signed in there."),
)
