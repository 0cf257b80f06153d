"""Requirements on who may use a cluster: tokens, scopes, limits, and the certificates of nodes."""

from __future__ import annotations

from tests.protocol.records import requirements

CLUSTER_ACCESS = requirements(
    "docs/reference/protocol-v0.2.md#tokens",
    ("cluster.limits.user", "Each user has the limit of the settings, or one of its own, which may be none."),
    ("cluster.tokens.digest", "Only the SHA-256 of a token is stored."),
    ("cluster.tokens.known", "A token is looked up once, and known for at most five seconds."),
    ("cluster.tokens.read_again", "A token in use is read again in the background before it is too old."),
    ("cluster.tokens.revoked", "A token that is revoked is refused at once, also if it was just being read."),
    ("cluster.tokens.expiry", "A token expires by the clock of the database."),
    ("cluster.tokens.alike", "Unknown, malformed, expired and revoked tokens are refused alike."),
    ("cluster.tokens.flood", "Random tokens neither fill the memory nor hammer the database."),
    ("cluster.tokens.unreachable", "Without the database, tokens are accepted for five seconds, then 503."),
    ("cluster.tokens.streams", "A stream ends with its token."),
    ("cluster.tokens.streams_unreachable", "Without the database, streams end after five seconds, too."),
    ("cluster.scopes.complete", "Each route of the core and of the built-in plugins has a scope of its own."),
    ("cluster.scopes.unknown", "What is not listed needs the scope admin."),
    ("cluster.scopes.order", "The scope exec includes read, and admin includes both."),
    ("cluster.scopes.users", "Each place of a request in which an endpoint reads a user is known."),
    (
        "cluster.limits.exact",
        "A rate is exact: a second's worth at once, and never more over any span of time.",
    ),
    ("cluster.limits.retry_after", "A refusal for the rate says after how many seconds it ends."),
    (
        "cluster.tokens.attempts",
        "Requests with invalid tokens are limited for each address, in bounded memory.",
    ),
)
CLUSTER_CERTIFICATES = requirements(
    "docs/reference/protocol-v0.2.md#where-a-node-listens",
    ("cluster.certificates.mutual", "Nodes verify each other by authority, cluster and name, not by DNS."),
    (
        "cluster.certificates.strangers",
        "Nodes of other clusters and clients without a certificate are refused.",
    ),
    ("cluster.certificates.bound", "The authority of a cluster can sign for names of this cluster only."),
    ("cluster.certificates.expired", "Expired certificates are refused."),
    (
        "cluster.certificates.renewal",
        "A certificate is renewed at the start when a third of its life is left.",
    ),
    ("cluster.certificates.sealed", "The authority's key is stored sealed with the join secret."),
    ("cluster.certificates.private", "The files of a node are readable by their owner only."),
    ("cluster.certificates.names", "Names of nodes are those of hosts, without dots."),
)
CLUSTER_TOKENS = requirements(
    "docs/how-to/give-tokens.md",
    (
        "cluster.token.create",
        "A token is printed once, alone on standard output; nothing shows a part of it again.",
    ),
    ("cluster.token.list", "Tokens are listed by id, user, scopes and expiry, and revoked by id or user."),
    ("cluster.token.misuse", "Misuse is answered in one line that says what is expected."),
    (
        "cluster.url.found",
        "The URL of the cluster is an option, a variable, a setting, or that of the data directory.",
    ),
    (
        "cluster.url.errors",
        "Errors of the database say what is wrong and what to do, and never have its password.",
    ),
)
CLUSTER_COMMAND = requirements(
    "docs/how-to/run-a-cluster.md",
    (
        "cluster.init.makes",
        "One command makes a cluster: tables, authority, node, join secret, first token.",
    ),
    (
        "cluster.init.refuses",
        "A database with a cluster is left alone; what fails leaves nothing behind.",
    ),
    (
        "cluster.init.repeated",
        "If it ended before it showed the secrets, it can be repeated in the same folder.",
    ),
    ("cluster.init.durable", "A database that would lose acknowledged writes is refused."),
    ("cluster.join.secret", "Only who has the join secret gets a certificate."),
    ("cluster.join.terminal", "The join secret is typed without being shown."),
    (
        "cluster.join.refuses",
        "Joining says what is wrong: no cluster, a taken name, another cluster.",
    ),
    (
        "cluster.status",
        "The state has nodes with leases, homes without a node, database and certificate.",
    ),
    ("cluster.orders.drain", "Draining waits, for a bounded time, until the node has no homes."),
    ("cluster.orders.move", "Moving waits until the home has left, and refuses what can't be."),
    ("cluster.orders.pin", "A home can be pinned to a label, and a user limited."),
    ("cluster.leave", "A stopped node can leave, unless homes would be lost."),
)
