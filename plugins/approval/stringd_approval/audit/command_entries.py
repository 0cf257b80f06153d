"""What the log says of commands of topics: that they were sent, and what was decided about them. Pure."""

from __future__ import annotations

from typing import Any

from stringd_approval.asker import Asker
from stringd_approval.audit.request_entries import RequestEntry
from stringd_approval.decision import Decision
from stringd_approval.policy.policy_record import Ruling


def command_sent(asker: Asker) -> RequestEntry:
    """Return the entry of a command that is about to run: its first line, with secrets masked."""
    return RequestEntry("command", _command(asker))


def command_decision(asker: Asker, ruling: Ruling, decided: Decision | None) -> RequestEntry:
    """Return the entry of what the policy says of a command, and of the decision if it was asked about."""
    fields = {**_command(asker), "verdict": ruling.verdict, "rule": ruling.rule}
    if decided:
        fields |= {
            "outcome": decided.outcome,
            "by": decided.by,
            "through": decided.through,
            "seconds": round(decided.seconds, 3),
            **({"comment": decided.comment} if decided.comment else {}),
        }
    return RequestEntry("command-decision", fields)


def _command(asker: Asker) -> dict[str, Any]:
    return {
        "user_id": asker.user.id,
        "topic": asker.topic,
        "request_id": asker.request_id,
        "command": asker.label,
    }
