"""Policies and their rulings, for tests."""

from __future__ import annotations

import textwrap
from pathlib import Path

from stringd_approval.exec_request import ExecRequest
from stringd_approval.policy.policy_file import FILE
from stringd_approval.policy.policy_record import Policy
from stringd_approval.policy.policy_text import parse_policy
from stringd_approval.policy.program_lookup import exec_subject
from stringd_approval.policy.rule import Verdict
from stringd_approval.policy.subjects import CommandSubject, Effect


def policy(text: str) -> Policy:
    """Parse an indented text."""
    return parse_policy(textwrap.dedent(text), FILE)


def rules(*lines: str) -> Policy:
    """Return a policy with rules in YAML's flow style, without the braces."""
    return policy("rules: [" + ", ".join(f"{{{line}}}" for line in lines) + "]\n")


def request(*stages: str, **fields: object) -> ExecRequest:
    """Return an unprivileged request, with each stage split at blanks."""
    pipeline = tuple(tuple(stage.split(" ")) for stage in stages)
    return ExecRequest(**{"id": "1", "pipeline": pipeline, "privileged": False, **fields})  # type: ignore[arg-type]


def verdict(of: Policy, *stages: str, **fields: object) -> Verdict:
    """Return the verdict on a request."""
    return of.ruling(exec_subject(request(*stages, **fields))).verdict


def command_verdict(of: Policy, topic: str, word: str, *effects: Effect, user: str = "default") -> Verdict:
    """Return the verdict on a command of a topic."""
    subject = CommandSubject(user_id=user, topic=topic, word=word, effects=frozenset(effects))
    return of.ruling(subject).verdict


def write_policy(data_dir: Path, text: str, mode: int = 0o600) -> Path:
    """Write the policy of a data directory."""
    data_dir.mkdir(parents=True, exist_ok=True)
    path = data_dir / FILE
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    path.chmod(mode)
    return path
