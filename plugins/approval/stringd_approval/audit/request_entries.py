"""What the log says of a request: its arrival, verdict, decision, start and end; and of grants. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from stringd_approval.asking.grants import Grant
from stringd_approval.asking.notation import words_text
from stringd_approval.decision import Decision
from stringd_approval.exec_request import ExecRequest, Pipeline
from stringd_approval.exec_result import PipelineResult, StageResult

_OPERATOR = "operator"


class RequestEntry(NamedTuple):
    """The kind of an entry, and its fields."""

    kind: str
    fields: Mapping[str, Any]


def arrival(request: ExecRequest) -> RequestEntry:
    """Return the entry of a request; of its environment, only the names are logged."""
    return RequestEntry(
        "arrival",
        {
            "id": request.id,
            "host": request.host,
            "session": request.session,
            "user_id": request.user_id,
            "topic": request.topic,
            "reason": request.reason,
            **_execution(request),
        },
    )


def verdict(request: ExecRequest, verdict: str, rule: str) -> RequestEntry:
    """Return the entry of what the policy, or the protocol, says of a request."""
    return RequestEntry("verdict", {"id": request.id, "verdict": verdict, "rule": rule})


def decision(request: ExecRequest, decided: Decision) -> RequestEntry:
    """Return the entry of the decision about a request."""
    fields: dict[str, Any] = {
        "id": request.id,
        "outcome": decided.outcome,
        "by": decided.by,
        "through": decided.through,
        "seconds": round(decided.seconds, 3),
    }
    if decided.comment:
        fields["comment"] = decided.comment
    if decided.edited:
        fields["edited"] = decided.edited.pipeline
    return RequestEntry("decision", fields)


def start(request: ExecRequest) -> RequestEntry:
    """Return the entry of a pipeline that is about to run."""
    return RequestEntry("start", {"id": request.id, **_execution(request)})


def end(
    request: ExecRequest,
    outcome: str,
    seconds: float,
    result: PipelineResult | None = None,
    message: str | None = None,
) -> RequestEntry:
    """Return the entry of a pipeline that has ended, with the sizes of its output but nothing of it."""
    fields: dict[str, Any] = {"id": request.id, "outcome": outcome, "seconds": round(seconds, 3)}
    if message is not None:
        fields["message"] = message
    if result is not None:
        fields["stages"] = [_stage(it) for it in result.stages]
        fields["stdout_bytes"] = len(result.stdout)
        fields["stdout_truncated"] = result.stdout_truncated
    return RequestEntry("end", fields)


def grant_withdrawn(grant: Grant, through: str) -> RequestEntry:
    """Return the entry of a grant that the operator has ended."""
    model = grant.model
    return RequestEntry(
        "grant-withdrawn",
        {
            "grant": grant.id,
            "command": words_text(grant.terms.words),
            "for": grant.terms.scope,
            "host": model.host,
            "session": model.session,
            "user_id": model.user_id,
            "topic": model.topic,
            "by": _OPERATOR,
            "through": through,
        },
    )


def _execution(request: ExecRequest) -> dict[str, Pipeline | list[str] | bool | str]:
    return {
        "pipeline": request.pipeline,
        "env": sorted(request.env),
        "privileged": request.privileged,
        "forward_agent": request.forward_agent,
        "cwd": request.cwd,
    }


def _stage(stage: StageResult) -> dict[str, Any]:
    fields: dict[str, Any] = {"exit_code": stage.exit_code}
    if stage.signal is not None:
        fields["signal"] = stage.signal
    return fields | {"stderr_bytes": len(stage.stderr), "stderr_truncated": stage.stderr_truncated}
