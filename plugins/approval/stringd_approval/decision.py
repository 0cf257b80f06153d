"""Decisions about requests and commands: what was decided, by whom and through what."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from stringd_approval.exec_request import ExecRequest


class DecisionOutcome(StrEnum):
    """What may come of a question."""

    APPROVED = "approved"
    DENIED = "denied"
    TIMEOUT = "timeout"
    WITHDRAWN = "withdrawn"


class Decision(Struct, frozen=True, kw_only=True):
    """An outcome: who decided (`operator`, `approver`, `nobody`), through what, and in how many seconds.

    `edited` is the request that is to run in place of the original one. `has_terminal` says that the person
    who approved can type a password: the answer came from `stringd approve`.
    """

    outcome: DecisionOutcome
    by: str
    through: str
    seconds: float = 0.0
    comment: str | None = None
    edited: ExecRequest | None = None
    has_terminal: bool = False

    @property
    def approved(self) -> bool:
        """Whether the request may run."""
        return self.outcome is DecisionOutcome.APPROVED
