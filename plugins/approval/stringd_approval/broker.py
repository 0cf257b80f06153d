"""The way of a request: policy, log, decision, execution, and one reply."""

from __future__ import annotations

import asyncio
import logging
import time

from msgspec import Struct

from stringd.plugin import Disconnected, StorageFailed
from stringd_approval.asking.decider import Decider, withdrawn
from stringd_approval.asking.sudo_password import SudoPassword
from stringd_approval.audit import request_entries as entries
from stringd_approval.audit.audit_log import AuditLog
from stringd_approval.audit.audit_log_file import AuditFailed
from stringd_approval.audit.request_entries import RequestEntry
from stringd_approval.decision import Decision, DecisionOutcome
from stringd_approval.exec_request import ExecRequest
from stringd_approval.exec_result import ExecFailed, ExecReply, PipelineResult, Status
from stringd_approval.executing.executor import Executor
from stringd_approval.listening.replay_guard import ReplayGuard
from stringd_approval.policy.policy_file import PolicyFile
from stringd_approval.policy.policy_record import Policy
from stringd_approval.policy.program_lookup import exec_subject
from stringd_approval.policy.rule import Verdict
from stringd_approval.wire.request_checks import check_request
from stringd_approval.wire.wire_error import WireError

log = logging.getLogger(__name__)

_STATUSES = {DecisionOutcome.DENIED: Status.DENIED, DecisionOutcome.TIMEOUT: Status.TIMEOUT}
_FORBIDDEN = "forbidden by the policy"
_DUPLICATE = "duplicate id"
_CANCELLED = "cancelled"


class Broker(Struct, frozen=True, kw_only=True):
    """Handles the requests of all clients; each ends with one reply."""

    policies: PolicyFile
    replay: ReplayGuard
    audit: AuditLog
    decider: Decider
    executor: Executor
    passwords: SudoPassword

    async def handle(
        self, request: ExecRequest, disconnected: Disconnected | None = None, *, request_id: str | None = None
    ) -> ExecReply:
        """Run a request if it is allowed, and return the reply.

        When `disconnected` returns before the decision, the request is withdrawn. `request_id` is the id that
        the client has given the command that makes the request in a topic.
        """
        try:
            return await self._handle(request, disconnected, request_id)
        except ExecFailed as failed:
            return _error(request, failed.message, failed.captured)
        except (AuditFailed, StorageFailed) as failed:
            return _error(request, f"nothing was run: {failed}")

    def problem(self, request: ExecRequest) -> str | None:
        """Return why a request that the operator has edited can't run; None if it can."""
        try:
            check_request(request)
            self.executor.check(request)
        except (WireError, ExecFailed) as error:
            return error.message
        ruling = self.policies.current().ruling(exec_subject(request))
        return f"{_FORBIDDEN}: {ruling.rule}" if ruling.verdict is Verdict.FORBID else None

    async def _handle(
        self, request: ExecRequest, disconnected: Disconnected | None, request_id: str | None
    ) -> ExecReply:
        policy = self.policies.current()
        ruling = policy.ruling(exec_subject(request))
        arrival, verdict = entries.arrival(request), entries.verdict(request, ruling.verdict, ruling.rule)
        if ruling.verdict is Verdict.FORBID:
            await self._write(arrival, verdict)
            raise ExecFailed(f"{_FORBIDDEN}: {ruling.rule}")
        if not self.replay.burn(request.id, request.made):
            await self._write(arrival, entries.verdict(request, Verdict.FORBID, _DUPLICATE))
            raise ExecFailed(f"{_DUPLICATE}: {request.id} was used before")
        if ruling.verdict is Verdict.ALLOW:
            return await self._run(request, policy, (arrival, verdict))
        await self._write(arrival, verdict)
        self.executor.check(request)
        started = time.monotonic()
        try:
            decision = await self.decider.decide(request, policy, disconnected, request_id=request_id)
        except asyncio.CancelledError:
            await self._write_end(entries.decision(request, withdrawn(started)))
            raise
        decided = entries.decision(request, decision)
        if decision.approved:
            return await self._run(decision.edited or request, policy, (decided,), decision)
        await self._write(decided)
        return _refusal(request, decision)

    async def _run(
        self,
        request: ExecRequest,
        policy: Policy,
        led_to: tuple[RequestEntry, ...],
        decision: Decision | None = None,
    ) -> ExecReply:
        """Run a pipeline, once everything that led to it is on disk."""
        try:
            await self._write(*led_to, entries.start(request), sync=True)
        except asyncio.CancelledError:
            await self._write_end(entries.end(request, _CANCELLED, 0.0))
            raise
        may_ask = decision is not None and decision.has_terminal
        return ExecReply(
            id=request.id,
            status=Status.OK,
            result=await self._execute(request, policy, may_ask=may_ask),
            comment=decision.comment if decision else None,
            edited=request.pipeline if decision and decision.edited else None,
        )

    async def _execute(self, request: ExecRequest, policy: Policy, *, may_ask: bool) -> PipelineResult:
        """Execute a pipeline, and write how it ended."""
        ask = self.passwords.of(request) if may_ask else None
        started = time.monotonic()
        outcome, result, message = _CANCELLED, None, None
        try:
            result = await self.executor.run(request, seconds=policy.exec_seconds, ask_password=ask)
            outcome = "ok"
        except ExecFailed as failed:
            outcome, result, message = "error", failed.captured, failed.message
            raise
        else:
            return result
        finally:
            seconds = time.monotonic() - started
            await self._write_end(entries.end(request, outcome, seconds, result, message))

    async def _write(self, *written: RequestEntry, sync: bool = False) -> None:
        """Write entries in one go."""
        appending = [self.audit.append(it.kind, sync=sync, **it.fields) for it in written]
        await asyncio.gather(*appending)

    async def _write_end(self, ended: RequestEntry) -> None:
        try:
            await self._write(ended)
        except AuditFailed:
            # The client still gets its result: the pipeline has run, and its start is in the log.
            log.exception("the end of request %s is not in the log", ended.fields["id"])


def _refusal(request: ExecRequest, decision: Decision) -> ExecReply:
    if status := _STATUSES.get(decision.outcome):
        return ExecReply(id=request.id, status=status, comment=decision.comment)
    return _error(request, "the request was withdrawn before it was decided")


def _error(request: ExecRequest, message: str, captured: PipelineResult | None = None) -> ExecReply:
    return ExecReply(id=request.id, status=Status.ERROR, message=message, result=captured)
