"""One rule: a verdict, and the conditions under which it applies."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from stringd_approval.policy.patterns import (
    allows_arguments,
    allows_program,
    concerns_arguments,
    concerns_program,
    matches_name,
)
from stringd_approval.policy.subjects import CommandSubject, Effect, ExecSubject, Kind, Stage, Subject

TEXT = "(text)"
"""In place of a command's name: a text that is no command."""


class Verdict(StrEnum):
    """What a policy says of a request or command."""

    ALLOW = "allow"
    ASK = "ask"
    FORBID = "forbid"


class Rule(Struct, frozen=True, kw_only=True):
    """A verdict on what meets all conditions; an empty condition is met by everything.

    Conditions with several patterns are met by one of them. `name` says where the rule stands.
    """

    verdict: Verdict
    name: str
    kind: Kind | None = None
    users: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    topic_types: tuple[str, ...] = ()
    privileged: bool | None = None
    sessions: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    arguments: tuple[str, ...] | None = None
    commands: tuple[str, ...] = ()
    effects: frozenset[Effect] = frozenset()

    @property
    def is_of_requests(self) -> bool:
        """Whether only requests can meet the conditions."""
        has_condition = bool(self.programs or self.sessions)
        return has_condition or self.arguments is not None or self.privileged is not None

    @property
    def is_of_commands(self) -> bool:
        """Whether only commands of topics can meet the conditions."""
        return bool(self.commands or self.effects)

    def applies_to_command(self, subject: CommandSubject) -> bool:
        """Whether a command of a topic meets all conditions."""
        if self.kind is Kind.EXEC or self.is_of_requests or not self._fits_place(subject):
            return False
        is_named = not self.commands or matches_name(self.commands, subject.word or TEXT)
        return is_named and (not self.effects or bool(self.effects & subject.effects))

    def applies_to_stage(self, subject: ExecSubject, stage: Stage) -> bool:
        """Whether a stage of a request meets all conditions."""
        if self.kind is Kind.COMMAND or self.is_of_commands or not self._fits_place(subject):
            return False
        is_as_root = self.privileged in (None, subject.privileged)
        is_of_session = not self.sessions or matches_name(self.sessions, subject.session)
        return is_as_root and is_of_session and self._fits_program(subject, stage)

    def _fits_place(self, subject: Subject) -> bool:
        type_name = subject.topic.partition(":")[0] if subject.topic else None
        return (
            (not self.users or matches_name(self.users, subject.user_id))
            and (not self.topics or matches_name(self.topics, subject.topic))
            and (not self.topic_types or matches_name(self.topic_types, type_name))
        )

    def _fits_program(self, subject: ExecSubject, stage: Stage) -> bool:
        if self.verdict is Verdict.ALLOW:
            if self.programs and subject.changes_programs:
                return False
            fits_program, fits_arguments = allows_program, allows_arguments
        else:
            fits_program, fits_arguments = concerns_program, concerns_arguments
        is_meant = not self.programs or any(fits_program(it, stage) for it in self.programs)
        return is_meant and (self.arguments is None or fits_arguments(self.arguments, stage.arguments))


def shell_rules() -> Sequence[Rule]:
    """Return the rules that `--approve shell` stands for."""
    effects = frozenset(Effect)
    return [Rule(verdict=Verdict.ASK, name="--approve shell", kind=Kind.COMMAND, effects=effects)]
