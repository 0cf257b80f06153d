"""Requirements on homes: who has them, until when, and what a fence keeps out."""

from __future__ import annotations

from tests.protocol.records import requirements

CLUSTER_HOMES = requirements(
    "docs/explanation/cluster.md",
    ("cluster.lease.renewed", "A node renews its lease every quarter of its length."),
    ("cluster.lease.deadline", "A node that can't renew its lease stops before others may take over."),
    ("cluster.lease.expired", "A lease that has expired is not renewed, and its id never returns."),
    ("cluster.lease.paused", "A process that was paused knows at once that its lease is over."),
    ("cluster.node.durable", "A node refuses a database without fsync or synchronous_commit, and leaves it."),
    ("cluster.node.set_up", "A node is started only with its own data directory, name and cluster."),
    ("cluster.node.address", "A node that listens everywhere must be told its address for other nodes."),
    ("cluster.node.name", "A node does not start while another one of its name runs."),
    ("cluster.node.unsafe", "A node that tests run without a safeguard says so."),
    ("cluster.node.rejoin", "A node that has lost its lease joins again under another id."),
    ("cluster.single.untouched", "A daemon that is no node loads nothing of clusters."),
    ("cluster.extra", "Without the libraries of clusters, a node does not start, and says what to install."),
    (
        "cluster.homes.chaos",
        "Whatever fails, nothing acknowledged is lost, doubled or reordered, and no shell outlives its node.",
    ),
    (
        "cluster.homes.controls",
        "Without its leases or its fences, a cluster under chaos is found to lose changes.",
    ),
    ("cluster.homes.one_owner", "A home has one owner at a time, and each claim has an epoch of its own."),
    ("cluster.homes.lease", "A home is kept as long as the lease of its owner, and no longer."),
    ("cluster.homes.ended_connections", "A claim ends the connections of the owner before."),
    ("cluster.homes.release", "A home that was given up is free at once."),
    ("cluster.homes.draining", "A draining node claims no homes."),
    ("cluster.homes.pinned", "A home with a label goes to nodes that have it, or are named so."),
    ("cluster.homes.local", "A home on a local disk is pinned to its first node, and empty nowhere else."),
    ("cluster.homes.orders", "Homes that are moved, pinned elsewhere or drained are passed on."),
    ("cluster.homes.unfinished", "A home with an unfinished run is taken without a request for it."),
    ("cluster.moves.order", "A moved home goes on with its place, state, undo and secrets."),
    ("cluster.moves.running", "A running command ends before its home is passed on."),
    ("cluster.moves.waiting", "What waits for a running command runs at the next owner, after the move."),
    ("cluster.moves.drain", "A draining node passes all homes on, and takes none until it is told to."),
    ("cluster.moves.pinned", "While no node may have a home, the answer is 503 HOME_UNAVAILABLE."),
    ("cluster.moves.leave", "A node that stops leaves its homes to others at once."),
    ("cluster.moves.killed", "The home of a killed node goes on at another, with state, undo and secrets."),
    ("cluster.moves.paused", "A node that was paused beyond its lease serves nothing that it has lost."),
    ("cluster.moves.engine", "An engine that restarts within the lease moves no home."),
    ("cluster.fence.writes", "Whatever a replaced node writes for a home is refused, and nothing changes."),
    ("cluster.fence.held", "A claim waits for a transaction that has passed the fence."),
    ("cluster.fence.unowned", "A node writes nothing for homes that it does not have."),
    ("cluster.placement.agreed", "All nodes choose the same node for a home, and share the homes evenly."),
    ("cluster.placement.stable", "If a node leaves, only its homes change."),
    ("cluster.placement.fit", "Labels decide before orders, and orders before the even share."),
)
