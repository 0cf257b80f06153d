"""`stringd policy`, without a daemon."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.cli.main import main
from tests.approval.rulings import write_policy

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def policy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the subcommand in this process; returns its exit code and output."""

    def run(*arguments: str) -> tuple[int, str]:
        code = main(["--data-dir", str(tmp_path), "policy", *arguments])
        shown = capsys.readouterr()
        return code, shown.out + shown.err

    return run


@pytest.mark.requirement("approval.policy.check")
def test_check_says_what_is_wrong_and_where(tmp_path: Path, policy: Run) -> None:
    code, output = policy("check")
    assert (code, "no such file" in output) == (0, True)
    write_policy(tmp_path, "rules:\n- verdict: allow\n  program: git\n", 0o644)
    code, output = policy("check")
    assert code == 0
    assert "no errors in 1 rule" in output
    assert "others may read" in output
    assert "`privileged: false` would not" in output
    assert "git may run any program" in output
    write_policy(tmp_path, "rules:\n- verdict: alow\n")
    code, output = policy("check")
    assert code == 1
    assert "approval.yaml:2: verdict must be one of allow, ask, forbid" in output
    assert "everything is asked about" in output


@pytest.mark.requirement("approval.policy.check")
def test_check_warns_of_rules_that_never_apply_or_allow_all(tmp_path: Path, policy: Run) -> None:
    write_policy(tmp_path, "rules:\n- verdict: allow\n- {verdict: forbid, program: rm}\n")
    _, output = policy("check")
    assert "rule 1 (approval.yaml:2): it allows every program" in output
    assert "rule 2 (approval.yaml:3): it never applies, since rule 1" in output


@pytest.mark.requirement("approval.policy.show")
def test_show_lists_rules_and_values(tmp_path: Path, policy: Run) -> None:
    write_policy(
        tmp_path,
        "question_seconds: 5\nrules:\n"
        "- {verdict: allow, privileged: false, program: [cat, ls], arguments: []}\n",
    )
    code, output = policy("show")
    assert code == 0
    assert "rule 1 (approval.yaml:3): allow not as root, program cat or ls, arguments none\n" in output
    assert "exec_seconds: 300, question_seconds: 5\n" in output


@pytest.mark.requirement("approval.policy.explain")
@pytest.mark.parametrize(
    ("arguments", "code", "texts"),
    [
        (["cat", "a"], 0, ["cat: /usr/bin/cat", "allow: allow by rule 1"]),
        (["--", "cat", "-n", "--", "a"], 0, ["3 arguments", "allow: allow by rule 1"]),
        (["rm", "a"], 4, ["forbid: forbid by rule 2"]),
        (["ls"], 3, ["ask: no rule applies"]),
        (["cat", "|", "rm"], 4, ["stage 2: forbid by rule 2"]),
        (["no-such-program"], 3, ["no-such-program: not found"]),
        (["--env", "HOME", "cat"], 3, ["ask: no rule applies"]),
        (["--session", "s", "--no-privilege", "wc"], 0, ["allow by rule 3"]),
        (["--session", "s", "wc"], 3, []),
        (["cat", "|"], 2, ["each stage needs a program"]),
        (["cat", "|", "", "a"], 2, ["each stage needs a program"]),
    ],
)
def test_explain_names_the_rule(
    tmp_path: Path, policy: Run, arguments: list[str], code: int, texts: list[str]
) -> None:
    rules = "{verdict: allow, program: cat}, {verdict: forbid, program: rm}"
    write_policy(
        tmp_path, f"rules: [{rules}, {{verdict: allow, program: wc, session: s, privileged: false}}]\n"
    )
    found, output = policy("explain", *arguments)
    assert found == code, output
    assert [it for it in texts if it not in output] == []


@pytest.mark.requirement("approval.policy.explain")
@pytest.mark.parametrize(
    "command",
    [
        "env ls",
        "xargs ls",
        "find . -name x",
        "sh -c ls",
        "git -c a.b=c status",
        "tar -cf x y",
        "man --html=x ls",
        "sort --compress-program=x",
        "ssh host",
        "sudo ls",
        "awk 1",
        "sed p x",
        "/usr/bin/env ls",
        "python3.11 x",
    ],
)
def test_explain_warns_of_programs_that_run_others(policy: Run, command: str) -> None:
    _, output = policy("explain", "--", *command.split())
    if "not found" in output:
        pytest.skip(f"{command.split()[0]} is not installed")
    assert "warning: a rule that allows it may allow any program" in output
    _, harmless = policy("explain", "cat", "x")
    assert "warning" not in harmless
