"""Approval in one daemon: its parts, the service that listens on the socket, and its field of `/status`."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from stringd.plugin import (
    BackgroundEffect,
    Disconnected,
    ErrorCode,
    Invocation,
    Proceed,
    Refusal,
    Reply,
    Runtime,
)
from stringd.plugin.cli import default_approval_socket
from stringd_approval.approval_settings import ApprovalSettings, Approve, Audit
from stringd_approval.asker import Asker
from stringd_approval.asking.decider import Decider
from stringd_approval.asking.display import Located
from stringd_approval.asking.gate import Gate
from stringd_approval.asking.grant_store import GrantStore, LocalGrants, SharedGrants
from stringd_approval.asking.sudo_password import SudoPassword
from stringd_approval.audit.audit_log import AuditLog
from stringd_approval.audit.audit_log_file import AuditFailed
from stringd_approval.audit.command_entries import command_decision, command_sent
from stringd_approval.audit.recorded_chain import RecordedChain
from stringd_approval.audit.request_entries import RequestEntry, grant_withdrawn
from stringd_approval.broker import Broker
from stringd_approval.decision import Decision
from stringd_approval.exec_request import ExecRequest
from stringd_approval.exec_result import ExecReply
from stringd_approval.executing.executor import Executor
from stringd_approval.listening.approval_listener import listen
from stringd_approval.listening.replay_guard import ReplayGuard
from stringd_approval.policy.policy_file import PolicyFile
from stringd_approval.policy.policy_record import Ruling
from stringd_approval.policy.program_lookup import look_up
from stringd_approval.policy.rule import shell_rules
from stringd_approval.policy.shared_rules import PLUGIN, SharedRules

log = logging.getLogger(__name__)

_IDS = "ids.jsonl"
_RULES_SECONDS = 5.0
"""How long requests to a node wait for the rules of its cluster; without them, everything is asked about."""


class ApprovalService:
    """What handles all requests of a daemon, through the socket and from topics."""

    def __init__(self, runtime: Runtime) -> None:
        settings = runtime.settings(ApprovalSettings)
        self._runtime = runtime
        self.socket, self._has_own_folder = _socket_path(settings.socket, runtime.config.data_dir)
        self._further = shell_rules() if settings.approve is Approve.SHELL else ()
        self.chain = RecordedChain(lambda: runtime.heads, runtime.config.data_dir)
        self.audit = AuditLog(runtime.config.data_dir, chain=self.chain)
        self._executor = Executor()
        self._logs_commands = settings.audit is Audit.COMMANDS

    async def serve(self) -> None:
        """Listen on the socket until the daemon stops."""
        following = [asyncio.create_task(it.follow()) for it in (self.grants, self.rules) if it]
        try:
            await listen(
                self.socket, self.handle, is_own_folder=self._has_own_folder, stopping=self._until_stopping
            )
        finally:
            for task in following:
                task.cancel()
            await self._close()

    async def _until_stopping(self) -> None:
        """Open the log once the socket is bound, and return when the daemon begins to stop."""
        try:
            await self.audit.open()
        except AuditFailed as failed:
            log.error("no request will run: %s", failed)  # noqa: TRY400 - the message says it all
        await self._runtime.stopping()

    async def handle(
        self, request: ExecRequest, disconnected: Disconnected | None = None, *, request_id: str | None = None
    ) -> ExecReply:
        """Handle a request; see `Broker.handle`."""
        await self._until_rules_are_known()
        return await self._broker.handle(request, disconnected, request_id=request_id)

    def concerns_commands(self) -> bool:
        """Whether commands of topics are logged, or the policy may keep some from running."""
        return self._logs_commands or self.policies.current().concerns_commands

    async def pass_command(self, invocation: Invocation, proceed: Proceed) -> Reply:
        """Return the reply to a command of a topic, if the policy or the operator lets it run."""
        if self._logs_commands:
            await self._write(command_sent(Asker.of_command(invocation)), sync=False)
        await self._until_rules_are_known()
        return await self._gate.pass_command(invocation, proceed)

    async def permit(self, asked: BackgroundEffect) -> None:
        """Return if the policy or the operator permits an effect outside of commands."""
        await self._until_rules_are_known()
        await self._gate.permit(asked)

    async def _until_rules_are_known(self) -> None:
        if self.rules and not self.rules.are_known.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self.rules.are_known.wait(), _RULES_SECONDS)

    async def withdraw_grant(self, grant_id: str, *, through: str) -> bool:
        """End a grant and log it; return whether there was one.

        It has ended even if the log can't be written: nothing runs then anyway.
        """
        grant = await self.grants.revoke(grant_id)
        if grant is None:
            return False
        entry = grant_withdrawn(grant, through)
        with suppress(AuditFailed):
            await self.audit.append(entry.kind, sync=True, **entry.fields)
        return True

    async def listed_grants(self) -> Sequence[Mapping[str, Any]]:
        """Return the grants that hold."""
        return await self.grants.listed()

    def status(self) -> dict[str, Any]:
        """Return the field of `/status`."""
        head, policy = self.audit.head, self.policies.current()
        return {
            "socket": str(self.socket),
            "policy": {
                "problem": policy.problem,
                "sha256": policy.digest,
                "cluster_sha256": self.rules.policy.digest if self.rules else None,
                "rules": len(policy.rules),
            },
            "log": {
                "problem": self.audit.problem,
                "entries": head.seq if head else None,
                "sha256": head.digest if head else None,
            },
            "grants": [*self.grants.known],
        }

    @cached_property
    def rules(self) -> SharedRules | None:
        """The rules that the nodes of a cluster share; to be used once the daemon runs."""
        return SharedRules(self._runtime.storage(PLUGIN)) if self._runtime.homes_move else None

    @cached_property
    def policies(self) -> PolicyFile:
        """The policy; to be used once the daemon runs."""
        return PolicyFile(self._runtime.config.data_dir, self._further, self.rules)

    @cached_property
    def _gate(self) -> Gate:
        return Gate(policies=self.policies, record=self._record)

    @cached_property
    def grants(self) -> GrantStore:
        """The grants, which all nodes of a cluster share; to be used once the daemon runs."""
        if self._runtime.homes_move:
            return SharedGrants(self._runtime.storage(PLUGIN))
        return LocalGrants()

    @cached_property
    def _broker(self) -> Broker:
        questions = self._runtime.questions
        return Broker(
            policies=self.policies,
            replay=self._replay,
            audit=self.audit,
            decider=Decider(
                questions=questions,
                grants=self.grants,
                locate=_located,
                recheck=lambda request: self._broker.problem(request),
            ),
            executor=self._executor,
            passwords=SudoPassword(questions=questions),
        )

    @cached_property
    def _replay(self) -> ReplayGuard:
        return ReplayGuard(self._runtime.storage(PLUGIN).folder / _IDS)

    async def _record(self, asker: Asker, ruling: Ruling, decision: Decision | None) -> None:
        await self._write(command_decision(asker, ruling, decision), sync=True)

    async def _write(self, entry: RequestEntry, *, sync: bool) -> None:
        """Write an entry about a command, or refuse the command."""
        try:
            await self.audit.append(entry.kind, sync=sync, **entry.fields)
        except AuditFailed as failed:
            raise Refusal(ErrorCode.STORAGE_FAILED, f"Nothing was run: {failed}") from failed

    async def _close(self) -> None:
        self._executor.close()
        if "_replay" in vars(self):
            self._replay.close()
        head = await self.audit.close()
        if head and head.seq:
            log.warning("the log of requests ends with entry %d, SHA-256 %s", head.seq, head.digest)


@cache
def approval_service(runtime: Runtime) -> ApprovalService:
    """Return the one service of a daemon."""
    return ApprovalService(runtime)


def _socket_path(setting: str, data_dir: Path) -> tuple[Path, bool]:
    """Return the path of the socket, and whether its folder is for sockets of stringd alone."""
    if setting:
        return Path(setting).expanduser().absolute(), False
    path = default_approval_socket(data_dir)
    return path, path.parent != data_dir


def _located(request: ExecRequest) -> Located:
    found = [look_up(stage[0], request) for stage in request.pipeline]
    programs = [
        [it.path, *([it.target] if it.target and it.is_link else [])] if it.path else [] for it in found
    ]
    return Located(programs=programs, directory=os.path.realpath(request.cwd))
