"""The page of the policy: what is granted, which rules are in force, and what they say of a command."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from math import ceil
from typing import Any

from markupsafe import Markup
from msgspec import Struct

from stringd.plugin import ErrorCode, Refusal, Runtime
from stringd.plugin.text import counted
from stringd_approval.approval_service import approval_service
from stringd_approval.asking.notation import NotationError, parse_pipeline
from stringd_approval.console_pages.entry_item import TEMPLATES
from stringd_approval.exec_request import ExecRequest
from stringd_approval.policy.patterns import matches_name
from stringd_approval.policy.policy_record import Policy
from stringd_approval.policy.policy_report import advice_on, conditions_of, explain_stage
from stringd_approval.policy.program_lookup import exec_subject
from stringd_approval.policy.rule import Verdict
from stringd_console import ActionResult, ConsolePage, Item, PageRequest, Regions, View

_STATES = {Verdict.ALLOW: "done", Verdict.ASK: "waiting", Verdict.FORBID: "failed"}
# The file may change at any time, and the time of grants runs.
_PAUSE_SECONDS = 5.0
_LONGEST = 4096
_MINUTE = 60


class Explained(Struct, frozen=True, kw_only=True):
    """What the policy says of a command line, or why it is none."""

    command: str
    as_root: bool
    lines: tuple[str, ...] = ()
    verdict: str = ""
    rule: str = ""
    state: str = ""
    problem: str = ""


class PolicyPage:
    """Shows the grants and the policy of one daemon."""

    def __init__(self, runtime: Runtime) -> None:
        self._service = service = approval_service(runtime)
        self._audit = service.audit

    @property
    def page(self) -> ConsolePage:
        """The page for the console."""
        return ConsolePage(
            name="policy",
            title="Policy",
            templates=TEMPLATES,
            view=self._view,
            actions={"withdraw": self._withdraw},
            position=55,
            about_user=self._about_user,
        )

    async def _view(self, request: PageRequest) -> View:
        if request.path:
            raise Refusal(ErrorCode.NOT_FOUND, "There is no such page of the policy.")
        command = request.query.get("command", "").strip()[:_LONGEST]
        as_root = request.query.get("as") == "root"

        async def regions() -> Regions:
            policy = self._service.policies.current()
            grants = await self._service.grants.listed()
            explained = await asyncio.to_thread(_explained, policy, command, as_root) if command else None
            return {
                "explained": TEMPLATES.render("policy_explained.html", explained=explained),
                "grants": tuple(map(_grant, grants)),
                "no-grants": TEMPLATES.render("no_grants.html", is_empty=not grants),
                "policy": self._policy(policy),
            }

        return View(
            title="Policy",
            template="policy.html",
            regions=regions,
            changes=self._changes,
            values={"command": command, "as_root": as_root},
        )

    def _about_user(self, user_id: str) -> str:
        """Say how many rules name this user, or all."""
        policy = self._service.policies.current()
        if policy.problem is not None:
            return "invalid, so everything is asked about"
        rules = policy.rules
        named = sum(matches_name(it.users, user_id) for it in rules)
        shared = sum(not it.users for it in rules)
        names = f"{counted(named, 'rule')} for this user, " if named else ""
        return f"{names}{counted(shared, 'rule')} for all users"

    def _policy(self, policy: Policy) -> Markup:
        rules = [
            (it, _STATES[it.verdict], ", ".join(conditions_of(it)) or "everything") for it in policy.rules
        ]
        advice = [*self._service.policies.advice(), *advice_on(policy)]
        return TEMPLATES.render(
            "policy_rules.html", advice=advice, path=self._service.policies.path, policy=policy, rules=rules
        )

    async def _changes(self) -> AsyncGenerator[object, None]:
        with self._audit.changes.watched() as changed:
            while True:
                with suppress(TimeoutError):
                    await asyncio.wait_for(changed.wait(), _PAUSE_SECONDS)
                changed.clear()
                yield None

    async def _withdraw(self, fields: Mapping[str, str]) -> ActionResult:
        if not await self._service.withdraw_grant(fields.get("id", ""), through="console"):
            raise Refusal(ErrorCode.NOT_FOUND, "There is no such grant any more.")
        return ActionResult(notice="The grant was withdrawn.")


def _grant(grant: Mapping[str, Any]) -> Item:
    times = grant["times"]
    left = f"{ceil(grant['seconds'] / _MINUTE)} min left" if times is None else f"{times} times left"
    return Item(key=grant["id"], html=TEMPLATES.render("grant.html", grant=grant, left=left))


def _explained(policy: Policy, command: str, as_root: bool) -> Explained:
    """Return what the policy says of a command; looks its programs up, which blocks."""
    try:
        pipeline = parse_pipeline(command)
    except NotationError as error:
        return Explained(command=command, as_root=as_root, problem=str(error))
    if not all(stage and stage[0] for stage in pipeline):
        return Explained(command=command, as_root=as_root, problem="each stage needs a program")
    subject = exec_subject(ExecRequest(id="", pipeline=pipeline, privileged=as_root))
    ruling = policy.ruling(subject)
    return Explained(
        command=command,
        as_root=as_root,
        lines=tuple(line for stage in subject.stages for line in explain_stage(stage)),
        verdict=str(ruling.verdict),
        rule=ruling.rule,
        state=_STATES[ruling.verdict],
    )
