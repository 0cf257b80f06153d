"""The gate before commands of topics: each runs, is refused or asked about, as the policy says."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from stringd.plugin import (
    BackgroundEffect,
    ErrorCode,
    Invocation,
    Proceed,
    Question,
    QuestionKind,
    Refusal,
    Reply,
    Unanswered,
)
from stringd.plugin.effects import Effect as CommandEffect
from stringd.plugin.effects import FileChange, guarded
from stringd_approval.asker import Asker
from stringd_approval.asking.command_display import (
    DENIED,
    display_background,
    display_command,
    display_effect,
    has_shown,
)
from stringd_approval.asking.decider import ASKER, ask, decision_of, undecided, withdrawn
from stringd_approval.asking.display import Display
from stringd_approval.decision import Decision, DecisionOutcome
from stringd_approval.policy.policy_file import PolicyFile
from stringd_approval.policy.policy_record import Policy, Ruling
from stringd_approval.policy.rule import Verdict
from stringd_approval.policy.subjects import CommandSubject, Effect

TIMEOUT = "APPROVAL_TIMEOUT"

Effects: TypeAlias = frozenset[Effect]
Record: TypeAlias = Callable[[Asker, Ruling, Decision | None], Awaitable[None]]
"""Writes to the log what was decided about an asker, before it goes on; may raise `Refusal`."""


class Gate(Struct, frozen=True, kw_only=True):
    """Applies the policy to each command, and to what the command is about to do."""

    policies: PolicyFile
    record: Record

    def pass_command(self, invocation: Invocation, proceed: Proceed) -> Awaitable[Reply]:
        """Return the command's reply, or refuse the command."""
        policy = self.policies.current()
        if policy.concerns_commands:
            return self._check_command(invocation, proceed, policy)
        return proceed(invocation)

    async def _check_command(self, invocation: Invocation, proceed: Proceed, policy: Policy) -> Reply:
        passage = _Passage(self, invocation, policy)
        await passage.check(frozenset())
        with guarded(passage.check_effect):
            return await proceed(invocation)

    async def permit(self, asked: BackgroundEffect) -> None:
        """Return if an effect outside of commands is permitted, else raise `Refusal`."""
        policy, asker = self.policies.current(), Asker.of_effect(asked)
        effects = _effects_of(asked.effect, asker)
        if not policy.concerns_commands or not effects:
            return
        ruling = policy.ruling(CommandSubject(user_id=asker.user.id, topic=asker.topic, effects=effects))
        if ruling.verdict is not Verdict.ALLOW:
            await self.require(asker, policy, ruling, lambda: display_background(asked, ruling.rule))

    async def require(
        self, asker: Asker, policy: Policy, ruling: Ruling, display: Callable[[], Display]
    ) -> Display:
        """Return what the operator was shown and has approved, else raise `Refusal`."""
        if ruling.verdict is Verdict.FORBID:
            await self.record(asker, ruling, None)
            raise Refusal(DENIED, f"Forbidden by the policy: {ruling.rule}.")
        shown, started = display(), time.monotonic()
        try:
            decision = await _decided(asker, policy, shown)
        except asyncio.CancelledError:
            with suppress(Refusal):
                await self.record(asker, ruling, withdrawn(started))
            raise
        await self.record(asker, ruling, decision)
        _require_approval(decision)
        return shown


class _Passage:
    """One command on its way through the gate.

    An effect that the operator has seen and approved with the command itself is not asked about again.
    """

    def __init__(self, gate: Gate, invocation: Invocation, policy: Policy) -> None:
        self._gate = gate
        self._invocation = invocation
        self._policy = policy
        self._approved: tuple[Ruling, Display] | None = None

    async def check(self, effects: Effects, effect: CommandEffect | None = None) -> None:
        """Return if the policy or the operator lets the command go on, else raise `Refusal`."""
        invocation, session = self._invocation, self._invocation.session
        subject = CommandSubject(
            user_id=session.user.id,
            topic=str(session.name),
            word=_name_of(invocation),
            effects=effects,
        )
        ruling = self._policy.ruling(subject)
        if ruling.verdict is Verdict.ALLOW or (effect and self._has_approved(ruling, effect)):
            return
        shown = await self._gate.require(
            Asker.of_command(invocation),
            self._policy,
            ruling,
            lambda: (
                display_effect(invocation, effect, ruling.rule)
                if effect
                else display_command(invocation, ruling.rule)
            ),
        )
        if effect is None:
            self._approved = ruling, shown

    async def check_effect(self, effect: CommandEffect) -> None:
        """Check something that the command is about to do."""
        if effects := _effects_of(effect, Asker.of_command(self._invocation)):
            await self.check(effects, effect)

    def _has_approved(self, ruling: Ruling, effect: CommandEffect) -> bool:
        if self._approved is None:
            return False
        approved, shown = self._approved
        return ruling == approved and has_shown(shown, self._invocation, effect)


async def _decided(asker: Asker, policy: Policy, shown: Display) -> Decision:
    question = Question(
        kind=QuestionKind.APPROVE,
        title=shown.title,
        asked_by=ASKER,
        body=shown.body,
        details=shown.details,
        expires=policy.question_seconds,
        user_id=asker.user.id,
        topic=asker.topic,
        request_id=asker.request_id,
    )
    started = time.monotonic()
    try:
        answer = await ask(asker.runtime.questions, question, policy, asker.disconnected)
    except Unanswered as unanswered:
        return undecided(unanswered, time.monotonic() - started)
    return decision_of(answer, time.monotonic() - started)


def _name_of(invocation: Invocation) -> str:
    """Return the name of a command, also of one with a member; empty for a text."""
    word = invocation.line.word
    commands = invocation.runtime.commands(invocation.session.name.type)
    return word if word in commands else word.partition(".")[0]


def _effects_of(effect: CommandEffect, asker: Asker) -> Effects:
    if not isinstance(effect, FileChange):
        return frozenset({Effect.SHELL})
    inside = asker.user.home, asker.runtime.config.data_dir
    is_outside = not any(_is_within(effect.path, folder) for folder in inside)
    return frozenset({Effect.OUTSIDE}) if is_outside else frozenset()


def _is_within(path: Path, folder: Path) -> bool:
    """Whether a real path is in a folder; commands that name files reach none of the daemon's own."""
    return path.is_relative_to(folder.resolve())


def _require_approval(decision: Decision) -> None:
    match decision.outcome:
        case DecisionOutcome.APPROVED:
            return
        case DecisionOutcome.TIMEOUT:
            raise Refusal(TIMEOUT, "The operator did not answer in time, so the command did not run.")
        case DecisionOutcome.WITHDRAWN:
            raise Refusal(ErrorCode.QUESTION_WITHDRAWN, "The question to the operator was withdrawn.")
        case DecisionOutcome.DENIED:
            raise Refusal(DENIED, decision.comment or "The operator has refused the command.")
