"""Requirements on the deadline for programs, and on topics after a failover."""

from __future__ import annotations

from tests.protocol.records import requirements

CLUSTER_DEADMAN = requirements(
    "docs/reference/hooks.md#the-deadline-for-programs",
    ("deadman.stopped", "At the deadline, all programs of a daemon end, even if the daemon is stopped."),
    ("deadman.gone", "They end by then at the latest if the daemon was killed."),
    ("deadman.family", "What they have started ends with them: jobs, orphans, and what ignores signals."),
    ("deadman.renewed", "Nothing ends as long as the deadline is moved forward in time."),
    ("deadman.late", "A deadline that comes later, or is brought forward, holds for what runs already."),
    ("deadman.free", "Without a deadline, supervisors have no timer and no further descriptor."),
    ("deadman.refused", "After the deadline, no program is started, until there is a later one."),
    ("deadman.privileged", "Privileged commands end at the deadline, too, also if the daemon is stopped."),
    ("deadman.successor", "Programs of a stopped node end before those of its successor begin."),
    ("deadman.files", "After the deadline, no document command changes a file."),
    ("deadman.supervisor", "A program that stops its supervisor ends at once, with all of its family."),
    ("deadman.commands", "Commands of daemons with a deadline have the same replies and the same ends."),
    ("deadman.many", "A hundred shells end together, before another daemon may take over."),
)
