"""Requirements of the page on clusters on clients."""

from __future__ import annotations

from tests.protocol.records import requirements

CLUSTER_CLIENTS = requirements(
    "docs/reference/command-line.md#daemons-with-a-url",
    ("cluster.client.url", "Clients find a daemon by a URL, from an option or the environment."),
    ("cluster.client.tls", "A certificate is verified, with the system's authorities or a given file."),
    ("cluster.client.token", "The token is sent with each request, and is never on a command line."),
    ("cluster.client.no_start", "With a URL, nothing is started, and no user registered without a home."),
    ("cluster.client.programs", "All programs that talk to a daemon talk to a cluster."),
    ("cluster.client.repeat", "A command that may have run is sent again only to v0.2, with its request id."),
    ("cluster.client.refused", "What was refused before it ran is sent again as Retry-After says, bounded."),
)
