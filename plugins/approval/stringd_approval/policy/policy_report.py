"""Describe a policy for people, and warn of rules that allow more than they seem to."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from stringd.plugin.text import counted
from stringd_approval.policy.patterns import WILDCARD
from stringd_approval.policy.policy_record import Policy
from stringd_approval.policy.rule import Rule, Verdict
from stringd_approval.policy.running_others import how_it_runs_others
from stringd_approval.policy.subjects import Kind, Stage

_ROOT = 0


def describe(policy: Policy) -> Iterator[str]:
    """Yield the lines that say what a policy does."""
    if policy.problem is not None:
        yield policy.problem
        yield "everything is asked about until this is corrected"
    for rule in policy.rules:
        yield f"{rule.name}: {rule.verdict} {', '.join(conditions_of(rule)) or 'everything'}"
    yield "without a rule: requests are asked about, commands of topics run"
    yield f"approver: {' '.join(policy.approver) or 'none'}"
    yield f"exec_seconds: {policy.exec_seconds:g}, question_seconds: {policy.question_seconds:g}"


def advice_on(policy: Policy) -> Iterator[str]:
    """Yield warnings of rules that allow much, or that never apply."""
    for number, rule in enumerate(policy.rules):
        yield from (f"{rule.name}: {warning}" for warning in _warnings(rule))
        if over := next((it for it in policy.rules[:number] if not [*conditions_of(it)]), None):
            yield f"{rule.name}: it never applies, since {over.name} applies to everything"


def explain_stage(stage: Stage) -> Iterator[str]:
    """Yield the lines that say which program a stage runs, and what else that may run."""
    if stage.found is None:
        yield f"{stage.typed}: not found"
        return
    leads = f" → {stage.real}" if stage.real != stage.found else ""
    yield f"{stage.typed}: {stage.found}{leads}, {counted(len(stage.arguments), 'argument')}"
    if how := how_it_runs_others(stage):
        yield f"  warning: a rule that allows it may allow any program: {how}"
    if _is_replaceable(stage.found) or (stage.real and _is_replaceable(stage.real)):
        yield "  warning: your own processes can replace this program"


def conditions_of(rule: Rule) -> Iterator[str]:
    """Yield what must be true for a rule to apply."""
    if rule.kind:
        yield f"kind {rule.kind}"
    if rule.privileged is not None:
        yield "as root" if rule.privileged else "not as root"
    patterns: Sequence[tuple[str, Sequence[str]]] = (
        ("user", rule.users),
        ("topic", rule.topics),
        ("topic_type", rule.topic_types),
        ("session", rule.sessions),
        ("program", rule.programs),
        ("command", rule.commands),
        ("effect", sorted(rule.effects)),
    )
    yield from (f"{name} {' or '.join(given)}" for name, given in patterns if given)
    if rule.arguments is not None:
        yield f"arguments {' '.join(map(repr, rule.arguments)) or 'none'}"


def _warnings(rule: Rule) -> Iterator[str]:
    if rule.verdict is not Verdict.ALLOW or rule.kind is Kind.COMMAND or rule.is_of_commands:
        return
    if not rule.programs:
        yield "it allows every program"
    if rule.privileged is None:
        yield "it allows running as root, too; `privileged: false` would not"
    for pattern in rule.programs:
        if WILDCARD.search(pattern):
            yield f"{pattern} may match more programs than those that are installed now"
        elif how := how_it_runs_others(Stage(typed=pattern)):
            yield f"{pattern} may run any program: {how}"


def _is_replaceable(path: str) -> bool:
    """Whether processes of this user can write a file or its directory; root can write all."""
    if os.geteuid() == _ROOT:
        return False
    return os.access(path, os.W_OK) or os.access(PurePosixPath(path).parent, os.W_OK)
