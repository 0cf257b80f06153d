"""`stringd policy`: check, show and explain the policy, with a daemon running or not."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from stringd.plugin import CliCommand, Fault
from stringd.plugin.cli import write_output
from stringd_approval.exec_request import split_stages

if TYPE_CHECKING:
    from stringd_approval.exec_request import ExecRequest, Pipeline
    from stringd_approval.policy.policy_file import PolicyFile
    from stringd_approval.policy.policy_record import Policy
    from stringd_approval.policy.shared_rules import RulesAsRead

_MISUSE = 2
_EXIT_CODES = {"allow": 0, "ask": 3, "forbid": 4}


def _check(arguments: argparse.Namespace) -> int:
    from stringd.plugin.text import counted
    from stringd_approval.policy.policy_report import advice_on

    file = _file(arguments)
    policy = file.current()
    if policy.problem is not None:
        write_output(f"{policy.problem}\neverything is asked about until this is corrected")
        return 1
    found = f"no errors in {counted(len(policy.rules), 'rule')}" if policy.digest else "no such file"
    advice = (f"warning: {it}" for it in (*file.advice(), *advice_on(policy)))
    write_output("\n".join((f"{file.path}: {found}", *advice)))
    return 0


def _show(arguments: argparse.Namespace) -> int:
    from stringd_approval.policy.policy_report import describe

    write_output("\n".join(describe(_policy_at_work(arguments))))
    return 0


def _explain(arguments: argparse.Namespace) -> int:
    from stringd_approval.policy.policy_report import explain_stage
    from stringd_approval.policy.program_lookup import exec_subject

    subject = exec_subject(_request(arguments))
    ruling = _policy_at_work(arguments).ruling(subject)
    lines = [line for stage in subject.stages for line in explain_stage(stage)]
    write_output("\n".join((*lines, f"{ruling.verdict}: {ruling.rule}")))
    return _EXIT_CODES[ruling.verdict]


def _file(arguments: argparse.Namespace, shared: RulesAsRead | None = None) -> PolicyFile:
    from stringd_approval.policy.policy_file import PolicyFile

    return PolicyFile(arguments.config.data_dir, shared=shared)


def _policy_at_work(arguments: argparse.Namespace) -> Policy:
    """Return the policy of the file, with the rules of the cluster that this is a node of before it."""
    from stringd_approval.policy.shared_rules import rules_of_cluster

    return _file(arguments, rules_of_cluster(arguments.config)).current()


def _request(arguments: argparse.Namespace) -> ExecRequest:
    from stringd_approval.exec_request import ExecRequest

    return ExecRequest(
        id="",
        pipeline=_pipeline(arguments.argv),
        session=arguments.session,
        privileged=not arguments.no_privilege,
        forward_agent=arguments.forward_agent,
        cwd=arguments.cwd,
        env=dict.fromkeys(arguments.env, ""),
    )


def _pipeline(words: Sequence[str]) -> Pipeline:
    stages = split_stages(words)
    if not all(stage and stage[0] for stage in stages):
        raise Fault("each stage needs a program, as in: explain -- dmesg '|' tail", exit_code=_MISUSE)
    return tuple(map(tuple, stages))


def _policy(arguments: argparse.Namespace) -> int:
    code: int = arguments.act(arguments)
    return code


def _configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="action", required=True)
    check = actions.add_parser("check", help="check approval.yaml; exit code 1 if it is invalid")
    check.set_defaults(act=_check)
    show = actions.add_parser("show", help="list the rules and the other values that apply")
    show.set_defaults(act=_show)
    explain = actions.add_parser(
        "explain",
        help="say which rule decides about a request; exit code 0 for allow, 3 for ask, 4 for forbid",
    )
    explain.add_argument("--session", default="", metavar="TEXT", help="the session that the client names")
    explain.add_argument("--no-privilege", action="store_true", help="as yourself, not as root")
    explain.add_argument("--forward-agent", action="store_true", help="with your SSH agent")
    explain.add_argument("--cwd", default="/", metavar="DIR", help="the working directory")
    explain.add_argument(
        "--env", action="append", default=[], metavar="NAME", help="a variable of the request (repeatable)"
    )
    explain.add_argument("argv", nargs="+", metavar="ARGV", help="the command; '|' separates stages")
    explain.set_defaults(act=_explain)


POLICY = CliCommand(
    name="policy",
    summary="Check, show or explain the rules of approval.yaml.",
    configure=_configure,
    run=_policy,
)
