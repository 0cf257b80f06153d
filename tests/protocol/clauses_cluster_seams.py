"""Requirements of the stores that plugins replace, of homes that move, and of requests that run once."""

from __future__ import annotations

from tests.protocol.records import requirements

CLUSTER_SEAMS = requirements(
    "docs/reference/hooks.md#stringd_storesruntime",
    (
        "stores.kept",
        "Users, topics, undo, outputs, secrets and storage are kept where the plugin says.",
    ),
    ("stores.opened", "Stores are opened before the daemon begins, in a fixed order."),
    ("stores.one", "Only one plugin has stores, and all of them are complete."),
    ("stores.on_demand", "With homes on demand, a user has topics only after they were restored."),
    ("stores.release", "A released home ends its topics in time; restored, they go on with state and undo."),
    ("stores.released", "While a home is released, no request makes a topic of it."),
    ("stores.abandoned", "What belongs to topics released without being stored stores nothing any more."),
    ("stores.moved", "The event of a topic that moves says so."),
    ("requests.once", "A command with a request id runs at most once, and is answered as the first time."),
    ("requests.concurrent", "The same request sent several times at once runs once."),
    ("requests.cancelled", "A request that was cancelled while it ran stays so; one that waited may run."),
    ("requests.unknown", "A request that was interrupted is OUTCOME_UNKNOWN, and does not run again."),
    ("requests.abandoned", "A request that was refused before it ran may be sent again."),
    ("requests.bounded", "Of each topic, about as many requests are kept as are promised."),
    ("requests.closed", "A command whose topic is deleted while it runs says so; its id may be used again."),
    ("requests.unstored", "A command whose outcome could not be kept is answered as failed."),
)
MOVED_TOPICS = requirements(
    "docs/reference/protocol-v0.2.md#after-a-failover",
    ("moved.shell", "A bash topic's first reply after a move is TOPIC_RESTARTED; nothing was done."),
    ("moved.shell.early", "What was sent before that reply is refused likewise."),
    ("moved.directory", "The reply names the directory, in which the next shell starts if it is there."),
    ("moved.program", "It names the program that has ended, whose input is masked where it was."),
    ("moved.outputs", "Long answers stay on the node that gave them, which `/output` names."),
    ("moved.documents", "Documents, history, variables, undo steps and secrets are those of before."),
    ("moved.pages", "Web topics are at their place, with their cookies if those are kept."),
    ("moving.cancel", "What runs on while its home waits to be moved can be cancelled by any node."),
    ("moving.cut", "A command that a move interrupts is OUTCOME_UNKNOWN; one that waited has not run."),
    ("moving.close", "A topic that is closed or deleted while its home moves is so afterwards."),
    (
        "moving.locks",
        "Edits of one file by several topics while the home moves are done once, or not.",
    ),
    ("moving.once", "A request that was answered before a failover has the same answer after it."),
    ("moving.damaged", "A state that can't be read is set aside; other topics are as they were."),
    ("moved.told", "A shell that ended before the move, and was told, is not missed."),
)
