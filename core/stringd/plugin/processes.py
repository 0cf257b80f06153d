"""Child processes, their environment and their descendants."""

from __future__ import annotations

from stringd.processes.child_environment import kept_environment, topic_environment
from stringd.processes.children import reaped, signalled
from stringd.processes.descriptors import DESCRIPTORS
from stringd.processes.exported_variables import TIME_LIMIT, exported, read_limit, time_limit
from stringd.processes.tree import adopt_orphans, descendants, die_with_parent, end_descendants, end_strays

__all__ = [
    "DESCRIPTORS",
    "TIME_LIMIT",
    "adopt_orphans",
    "descendants",
    "die_with_parent",
    "end_descendants",
    "end_strays",
    "exported",
    "kept_environment",
    "read_limit",
    "reaped",
    "signalled",
    "time_limit",
    "topic_environment",
]
