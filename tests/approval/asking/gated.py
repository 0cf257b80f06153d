"""A plugin for the tests: `/decide` asks about a request in JSON, and shows the decision."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

from msgspec import to_builtins

from stringd.plugin import Command, Invocation, Reply, Runtime, Service, hookimpl
from stringd_approval.asking.decider import Decider
from stringd_approval.asking.display import Located
from stringd_approval.asking.grant_store import LocalGrants
from stringd_approval.exec_request import ExecRequest
from stringd_approval.policy.policy_file import PolicyFile


class Decisions:
    """Keeps what a daemon has one of."""

    def __init__(self) -> None:
        self._grants = LocalGrants()

    @hookimpl
    def stringd_services(self, runtime: Runtime) -> Iterable[Service]:
        self._policies = PolicyFile(runtime.config.data_dir)
        self._decider = Decider(
            questions=runtime.questions, grants=self._grants, locate=located, recheck=recheck
        )
        return []

    @hookimpl
    def stringd_commands(self) -> Iterable[Command]:
        return [
            Command(name="decide", summary="Decide.", usage="", run=self._decide),
            Command(name="grants", summary="List the grants, or revoke one.", usage="", run=self._list),
        ]

    async def _decide(self, invocation: Invocation) -> Reply:
        fields: dict[str, Any] = {"id": "1", "privileged": False, **json.loads(invocation.line.arguments)}
        fields["pipeline"] = tuple(map(tuple, fields["pipeline"]))
        decision = await self._decider.decide(
            ExecRequest(**fields), self._policies.current(), invocation.disconnected
        )
        return Reply.confirmation(json.dumps(to_builtins(decision)))

    async def _list(self, invocation: Invocation) -> Reply:
        if revoked := invocation.line.arguments:
            return Reply.confirmation(json.dumps(await self._grants.revoke(revoked) is not None))
        return Reply.confirmation(json.dumps(await self._grants.listed()))


def located(request: ExecRequest) -> Located:
    programs = [[] if words[0] == "missing" else [f"/bin/{words[0]}"] for words in request.pipeline]
    return Located(programs=programs, directory=os.path.realpath(request.cwd))


def recheck(request: ExecRequest) -> str | None:
    return "evil is forbidden" if request.pipeline[0][:1] == ("evil",) else None


DECISIONS = Decisions()
stringd_services = DECISIONS.stringd_services
stringd_commands = DECISIONS.stringd_commands
