"""The first and the last record of an execution in its history, and how it ends."""

from __future__ import annotations

import time

from msgspec import Struct

from stringd_runs.histories.history_records import ExecutionEnded, ExecutionStarted
from stringd_runs.messages.daemon_replies import RunErrorCode, RunStatus
from stringd_runs.messages.message_encoder import timestamp
from stringd_runs.messages.run_events import RunError, StrategyCompleted, StrategyError
from stringd_runs.running.preparation import Preparation
from stringd_runs.running.step_calls import StepCalls

LONGEST_OUTCOME = 300
"""How many characters of a result lists show."""


class Ending(Struct, frozen=True, kw_only=True):
    """How an execution has ended: the last event, and the state of the run from then on."""

    event: StrategyCompleted | StrategyError
    status: RunStatus


def ending_early(run_id: str, status: RunStatus, code: RunErrorCode, message: str) -> Ending:
    """Return the end without a result."""
    error = RunError(code=code, message=message)
    return Ending(event=StrategyError(run_id=run_id, error=error), status=status)


def ending_in_failure(run_id: str, message: str) -> Ending:
    """Return the end of an execution that has failed."""
    return ending_early(run_id, RunStatus.ERROR, RunErrorCode.EXECUTION_ERROR, message)


def started_record(plan: Preparation, text: str, at: str, *, is_shared: bool) -> ExecutionStarted:
    """Return the first record of an execution; with `is_shared`, other nodes may go on with it."""
    return ExecutionStarted(
        run_id=plan.source.run_id,
        user_id=plan.source.user.id,
        strategy_name=plan.strategy.name,
        strategy_path=plan.source.strategy_path,
        directory=str(plan.directory),
        model_override=plan.source.model_override,
        input=text,
        at=at,
        approved_code=plan.strategy.approved_code if is_shared else None,
    )


def ended_record(
    plan: Preparation, calls: StepCalls, ending: Ending, started_at: str, last_seq: int
) -> ExecutionEnded:
    """Return the last record of an execution, which ends now."""
    return ExecutionEnded(
        run_id=plan.source.run_id,
        user_id=plan.source.user.id,
        strategy_name=plan.strategy.name,
        directory=str(plan.directory),
        status=ending.status,
        started_at=started_at,
        completed_at=timestamp(time.time()),
        last_seq=last_seq,
        steps=calls.steps,
        prompt_tokens=calls.usage.prompt_tokens,
        completion_tokens=calls.usage.completion_tokens,
        cost=calls.cost,
        outcome=outcome_of(ending),
    )


def outcome_of(ending: Ending) -> str:
    """Return the beginning of the result, or why there is none."""
    event = ending.event
    text = event.result if isinstance(event, StrategyCompleted) else event.error.message
    return text[:LONGEST_OUTCOME].encode(errors="replace").decode()
