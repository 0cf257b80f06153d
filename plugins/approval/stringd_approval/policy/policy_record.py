"""A policy: ordered rules, of which the first that applies decides, and how questions are asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from msgspec import Struct

from stringd_approval.policy.rule import Rule, Verdict
from stringd_approval.policy.subjects import ExecSubject, Kind, Stage, Subject

EXEC_SECONDS, QUESTION_SECONDS = 300.0, 60.0


class Ruling(Struct, frozen=True, kw_only=True):
    """A verdict, and the rule that it comes from, for people."""

    verdict: Verdict
    rule: str


_REQUESTS_ASK = Ruling(verdict=Verdict.ASK, rule="no rule applies, so the request is asked about")
_COMMANDS_PASS = Ruling(verdict=Verdict.ALLOW, rule="no rule applies, so the command runs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The rules in order, the program that may answer questions, and two time limits.

    With a `problem`, nothing is known of what the operator wants, so that everything is asked about.
    `digest` is the SHA-256 of the file that the policy was read from. It `concerns_commands` unless all
    commands of topics simply run.
    """

    rules: tuple[Rule, ...] = ()
    approver: tuple[str, ...] = ()
    exec_seconds: float = EXEC_SECONDS
    question_seconds: float = QUESTION_SECONDS
    problem: str | None = None
    digest: str | None = None
    concerns_commands: bool = field(init=False, compare=False)

    def __post_init__(self) -> None:
        # Computed once, since every command asks.
        concerned = self.problem is not None or any(it.kind is not Kind.EXEC for it in self.rules)
        object.__setattr__(self, "concerns_commands", concerned)

    def ruling(self, subject: Subject) -> Ruling:
        """Return the verdict on a request or a command.

        Each stage of a pipeline is judged as if it were alone. One that is forbidden forbids the request;
        otherwise, one that is to be asked about makes it a question. It is allowed if every stage is.
        """
        if self.problem is not None:
            return Ruling(verdict=Verdict.ASK, rule=f"the policy cannot be used: {self.problem}")
        if isinstance(subject, ExecSubject):
            return _strictest([self._ruling_on_stage(subject, it) for it in subject.stages])
        return _ruling((it for it in self.rules if it.applies_to_command(subject)), _COMMANDS_PASS)

    def _ruling_on_stage(self, subject: ExecSubject, stage: Stage) -> Ruling:
        return _ruling((it for it in self.rules if it.applies_to_stage(subject, stage)), _REQUESTS_ASK)


def _ruling(applicable: Iterator[Rule], default: Ruling) -> Ruling:
    rule = next(applicable, None)
    return Ruling(verdict=rule.verdict, rule=f"{rule.verdict} by {rule.name}") if rule else default


_STRICTNESS = {Verdict.ALLOW: 0, Verdict.ASK: 1, Verdict.FORBID: 2}


def _strictest(rulings: list[Ruling]) -> Ruling:
    """Return the ruling on a pipeline: the first of the strictest, with the number of its stage."""
    worst = max(range(len(rulings)), key=lambda number: _STRICTNESS[rulings[number].verdict])
    ruling = rulings[worst]
    if len(set(rulings)) == 1:
        return ruling
    return Ruling(verdict=ruling.verdict, rule=f"stage {worst + 1}: {ruling.rule}")
