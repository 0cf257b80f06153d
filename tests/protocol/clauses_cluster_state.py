"""Requirements on nodes of a cluster: runs that go on elsewhere, and the log of approval."""

from __future__ import annotations

from tests.protocol.records import requirements

CLUSTER_STATE = requirements(
    "docs/reference/cluster-state.md",
    ("cluster.runs.resumed", "On another node, a run goes on after its last finished call, and says so."),
    ("cluster.runs.ended", "Runs that had ended or were stopped do not go on."),
    (
        "cluster.runs.steering",
        "Texts for the next call of a model are kept until a finished call has used them.",
    ),
    ("cluster.runs.fenced", "A node that has lost a run says and stores nothing more of it."),
    (
        "cluster.runs.code",
        "Code that was approved for a run needs no approval to go on; other runs need it.",
    ),
    ("cluster.runs.gone", "A run that cannot go on ends with an error that says why, and can be continued."),
    ("cluster.runs.shutdown", "A node that stops leaves its runs to others, without an end."),
    ("cluster.runs.everywhere", "Runs are watched, steered, answered and stopped through any node."),
    (
        "cluster.logs.appended",
        "Lines of a log are kept in their order, without gaps, once they are acknowledged.",
    ),
    (
        "cluster.logs.fenced",
        "Only the node with its user's home adds to a log, under the claim at which it began to.",
    ),
    ("cluster.users.known", "Users and secrets that are read or stored at the same time are all known."),
    ("cluster.users.read_again", "What another node has changed is read again until that succeeds."),
    ("cluster.secrets.latest", "Of secrets for all users, what was set last holds at all nodes."),
    ("cluster.logs.owner", "A log belongs to the user who began it."),
    (
        "cluster.logs.doubt",
        "If the answer of the database is lost, lines are added once; appending waits until the home leaves.",
    ),
    (
        "cluster.database.repeats",
        "What a broken connection has not sent to the database, and what only reads, is asked for again.",
    ),
    ("cluster.logs.pages", "A log is read in pages, so that a large one is never in memory as a whole."),
    ("cluster.logs.ends", "The ends of logs are read again only if lines were added."),
    (
        "cluster.audit.recorded",
        "The head of a log is in the database before what it says runs; a log that was cut off is found.",
    ),
    ("cluster.audit.replaced", "A log that lacks its recorded head begins another chain; both are verified."),
    (
        "cluster.audit.chains",
        "All nodes' chains are listed, and files verified by the name of a chain.",
    ),
    ("cluster.audit.closed", "Nothing runs whose entry can't be recorded."),
    ("cluster.storage.locked", "What a plugin changes in a transaction is stored if its lock has lasted."),
    ("cluster.grants.shared", "A grant holds at all nodes, as often as it says, and at none once withdrawn."),
    ("cluster.grants.ended", "On nodes, a grant ends after a day at the latest, and if a clock is set back."),
    ("cluster.rules.shared", "Shared rules hold at all nodes within a second, before the own ones of each."),
    ("cluster.rules.told", "`stringd policy` shows and explains shared rules, or says that it can't."),
    ("cluster.rules.checked", "Rules that can't be shared are refused, and change nothing."),
)
