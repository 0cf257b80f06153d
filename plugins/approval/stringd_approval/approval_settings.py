"""The settings of approval."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from stringd.plugin import setting


class Approve(StrEnum):
    """Which commands of topics are asked about without a rule of the policy."""

    NONE = "none"
    SHELL = "shell"


class Audit(StrEnum):
    """What the log has beside requests."""

    REQUESTS = "requests"
    COMMANDS = "commands"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalSettings:
    """What a person can set."""

    socket: str = setting("", "The path of the socket for requests.", option=True)
    approve: Approve = setting(
        Approve.NONE,
        "Ask about commands of topics that run programs, or write outside of the user's home.",
        option="--approve",
    )
    audit: Audit = setting(
        Audit.REQUESTS,
        "What the log has: requests to run pipelines, or also every command of a topic.",
        option="--audit",
    )
