"""A plugin for the tests: the gate with the policy of the data directory, and `/decide` for a request."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from stringd.plugin import Command, Interceptor, Invocation, Proceed, Reply, Runtime, Service, hookimpl
from stringd_approval.asking.decider import Decider
from stringd_approval.asking.gate import Gate
from stringd_approval.asking.grants import Grants
from stringd_approval.decision import Decision
from stringd_approval.exec_request import ExecRequest
from stringd_approval.policy.policy_file import PolicyFile
from stringd_approval.policy.policy_record import Ruling
from stringd_approval.policy.rule import shell_rules

RECORD = "decisions.jsonl"


class Gated:
    """Keeps what a daemon has one of."""

    def __init__(self) -> None:
        self._grants = Grants()

    @hookimpl
    def stringd_services(self, runtime: Runtime) -> Iterable[Service]:
        self._policies = PolicyFile(runtime.config.data_dir, shell_rules())
        self._gate = Gate(policies=self._policies, record=self._record)
        self._decider = Decider(
            questions=runtime.questions, grants=self._grants, resolve=resolved, recheck=recheck
        )
        return []

    @hookimpl
    def stringd_interceptors(self) -> Iterable[Interceptor]:
        return [Interceptor(name="gate", run=self._pass)]

    @hookimpl
    def stringd_commands(self) -> Iterable[Command]:
        return [
            Command(name="decide", summary="Decide.", usage="", run=self._decide),
            Command(name="grants", summary="List the grants, or revoke one.", usage="", run=self._list),
        ]

    async def _pass(self, invocation: Invocation, proceed: Proceed) -> Reply:
        return await self._gate.pass_command(invocation, proceed)

    async def _decide(self, invocation: Invocation) -> Reply:
        fields: dict[str, Any] = {"id": "1", "privileged": False, **json.loads(invocation.line.arguments)}
        fields["pipeline"] = tuple(map(tuple, fields["pipeline"]))
        decision = await self._decider.decide(
            ExecRequest(**fields), self._policies.current(), invocation.disconnected
        )
        return Reply.confirmation(json.dumps(asdict(decision)))

    async def _list(self, invocation: Invocation) -> Reply:
        if revoked := invocation.line.arguments:
            return Reply.confirmation(json.dumps(self._grants.revoke(revoked)))
        return Reply.confirmation(json.dumps(self._grants.listed()))

    async def _record(self, invocation: Invocation, ruling: Ruling, decision: Decision | None) -> None:
        entry = [invocation.label, ruling.verdict, decision and decision.outcome]
        with (invocation.session.user.home / RECORD).open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(entry)}\n")


def resolved(request: ExecRequest) -> Sequence[Sequence[str]]:
    return [[] if words[0] == "missing" else [f"/bin/{words[0]}"] for words in request.pipeline]


def recheck(request: ExecRequest) -> str | None:
    return "evil is forbidden" if request.pipeline[0][:1] == ("evil",) else None


GATED = Gated()
stringd_services = GATED.stringd_services
stringd_interceptors = GATED.stringd_interceptors
stringd_commands = GATED.stringd_commands
