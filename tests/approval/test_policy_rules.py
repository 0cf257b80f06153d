"""What rules say of requests and commands, as tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from stringd_approval.policy.policy_record import Policy
from stringd_approval.policy.program_lookup import exec_subject
from stringd_approval.policy.rule import Verdict, shell_rules
from stringd_approval.policy.subjects import Effect
from tests.approval.rulings import command_verdict, request, rules, verdict

ALLOW, ASK, FORBID = Verdict.ALLOW, Verdict.ASK, Verdict.FORBID


@pytest.mark.requirement("approval.policy.first", "approval.policy.verdicts")
@pytest.mark.parametrize(
    ("lines", "command", "expected"),
    [
        ((), "cat x", ASK),
        (("verdict: allow",), "cat x", ALLOW),
        (("verdict: forbid",), "cat x", FORBID),
        (("verdict: ask", "verdict: allow"), "cat x", ASK),
        (("verdict: allow, program: cat", "verdict: forbid"), "cat x", ALLOW),
        (("verdict: allow, program: cat", "verdict: forbid"), "ls", FORBID),
        (("verdict: allow, program: [cat, ls]",), "ls", ALLOW),
        (("verdict: allow, program: 'l*'",), "ls", ALLOW),
        (("verdict: allow, program: l",), "ls", ASK),
        (("verdict: allow, kind: command",), "ls", ASK),
        (("verdict: allow, kind: exec",), "ls", ALLOW),
    ],
)
def test_the_first_rule_that_applies_decides(lines: tuple[str, ...], command: str, expected: Verdict) -> None:
    assert verdict(rules(*lines), command) is expected


@pytest.mark.requirement("approval.policy.conditions")
@pytest.mark.parametrize(
    ("condition", "fields", "applies"),
    [
        ("privileged: true", {"privileged": True}, True),
        ("privileged: true", {"privileged": False}, False),
        ("privileged: false", {"privileged": False}, True),
        ("session: 'claude-*'", {"session": "claude-7"}, True),
        ("session: 'claude-*'", {"session": "other"}, False),
        ("session: 'claude-*'", {}, False),
        ("session: 'Claude'", {"session": "claude"}, False),
        ("user: default", {"user_id": "default", "topic": "file:a"}, True),
        ("user: default", {}, False),
        ("user: '*'", {}, False),
        ("topic: 'file:*'", {"user_id": "u", "topic": "file:a"}, True),
        ("topic: 'file:*'", {"user_id": "u", "topic": "web:a"}, False),
        ("topic_type: [web, file]", {"user_id": "u", "topic": "file:a"}, True),
        ("topic_type: web", {}, False),
    ],
)
def test_all_conditions_of_a_rule_must_be_met(
    condition: str, fields: dict[str, object], applies: bool
) -> None:
    policy = rules(f"verdict: forbid, program: cat, {condition}")
    assert (verdict(policy, "cat", **fields) is FORBID) == applies
    assert verdict(policy, "ls", **fields) is ASK


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A directory with a program that is named like one of the system, and a link to one of the system."""
    program = tmp_path / "cat"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    (tmp_path / "innocent").symlink_to("/usr/bin/cat")
    return tmp_path


@pytest.mark.requirement("approval.policy.programs")
@pytest.mark.parametrize(
    ("pattern", "typed", "allowed", "forbidden"),
    [
        ("cat", "cat", True, True),
        ("cat", "/usr/bin/cat", True, True),
        ("/usr/bin/cat", "cat", True, True),
        ("/usr/bin/cat", "/usr/bin/cat", True, True),
        ("/usr/*/cat", "cat", True, True),
        ("/*/cat", "cat", False, True),
        ("c?t", "cat", True, True),
        ("cat", "{elsewhere}/cat", False, True),
        ("cat", "./cat", False, True),
        ("cat", "innocent", False, False),
        ("cat", "{elsewhere}/innocent", False, True),
        ("innocent", "{elsewhere}/innocent", False, True),
        ("/usr/bin/cat", "{elsewhere}/innocent", False, True),
        ("/usr/bin/cat", "{elsewhere}/cat", False, False),
        ("{elsewhere}/cat", "{elsewhere}/cat", True, True),
        ("{elsewhere}/cat", "./cat", False, True),
        ("/usr/*/cat", "/usr/../usr/bin/cat", False, True),
        ("/*/*/*/cat", "/usr/bin/../bin/cat", False, True),
        ("/usr/bin/*", "/usr/bin/./cat", False, True),
        ("no-such-program", "no-such-program", False, True),
        ("*", "no-such-program", False, True),
    ],
)
def test_a_pattern_allows_only_what_it_names_and_forbids_whatever_it_may_mean(
    elsewhere: Path, pattern: str, typed: str, allowed: bool, forbidden: bool
) -> None:
    pattern, typed = pattern.format(elsewhere=elsewhere), typed.format(elsewhere=elsewhere)
    allowing = rules(f"verdict: allow, program: '{pattern}'")
    forbidding = rules(f"verdict: forbid, program: '{pattern}'")
    assert (verdict(allowing, typed, cwd=str(elsewhere)) is ALLOW) == allowed
    assert (verdict(forbidding, typed, cwd=str(elsewhere)) is FORBID) == forbidden


@pytest.mark.requirement("approval.policy.arguments")
@pytest.mark.parametrize(
    ("patterns", "arguments", "allowed", "forbidden"),
    [
        ("[]", "", True, True),
        ("[]", "a", False, False),
        ("[a]", "a", True, True),
        ("[a]", "a b", False, False),
        ("[a, b]", "a", False, False),
        ("['...']", "", True, True),
        ("['...']", "a -b", True, True),
        ("[a, '...']", "a -b c", True, True),
        ("[a, '...']", "b", False, False),
        ("['*']", "x", True, True),
        ("['*']", "--output=x", False, True),
        ("['?x']", "-x", False, True),
        ("['-*']", "-x", True, True),
        ("['/srv/*']", "/srv/a/b", True, True),
        ("['/srv/*']", "/srv/../etc/passwd", False, True),
        ("['/srv/*']", "/srv/a/..", False, True),
        ("['/srv/..']", "/srv/..", True, True),
        ("['--file=/srv/*']", "--file=/srv/../x", False, True),
        ("['A']", "a", False, False),
    ],
)
def test_arguments_are_compared_one_by_one(
    patterns: str, arguments: str, allowed: bool, forbidden: bool
) -> None:
    command = f"cat {arguments}".strip()
    allowing = rules(f"verdict: allow, program: cat, arguments: {patterns}")
    forbidding = rules(f"verdict: forbid, program: cat, arguments: {patterns}")
    assert (verdict(allowing, command) is ALLOW) == allowed
    assert (verdict(forbidding, command) is FORBID) == forbidden


@pytest.mark.requirement("approval.policy.pipelines")
@pytest.mark.parametrize(
    ("stages", "expected"),
    [
        (["cat", "cat"], ALLOW),
        (["cat", "ls"], ASK),
        (["ls", "cat"], ASK),
        (["cat", "rm"], FORBID),
        (["ls", "rm", "cat"], FORBID),
    ],
)
def test_a_pipeline_is_as_restricted_as_its_most_restricted_stage(
    stages: list[str], expected: Verdict
) -> None:
    policy = rules("verdict: allow, program: cat", "verdict: forbid, program: rm")
    assert verdict(policy, *stages) is expected


@pytest.mark.requirement("approval.policy.pipelines")
def test_the_ruling_names_the_rule_and_the_stage() -> None:
    policy = rules("verdict: allow, program: cat", "verdict: forbid, program: rm")
    ruling = policy.ruling(exec_subject(request("cat a", "rm b")))
    assert ruling.rule == "stage 2: forbid by rule 2 (approval.yaml:1)"


@pytest.mark.requirement("approval.policy.programs")
@pytest.mark.parametrize("fields", [{"env": {"HOME": "/tmp"}}, {"forward_agent": True}])
def test_a_program_is_not_allowed_in_another_home_or_with_an_agent(fields: dict[str, object]) -> None:
    assert verdict(rules("verdict: allow, program: cat"), "cat", **fields) is ASK
    assert verdict(rules("verdict: forbid, program: cat"), "cat", **fields) is FORBID
    assert verdict(rules("verdict: allow"), "cat", **fields) is ALLOW
    assert verdict(rules("verdict: allow, program: cat"), "cat", env={"LANG": "C"}) is ALLOW


@pytest.mark.requirement("approval.policy.default", "approval.policy.conditions")
@pytest.mark.parametrize(
    ("line", "topic", "word", "expected"),
    [
        ("verdict: forbid, program: cat", "file:a", "open", ALLOW),
        ("verdict: forbid, kind: exec", "file:a", "open", ALLOW),
        ("verdict: ask, kind: command", "file:a", "open", ASK),
        ("verdict: forbid, command: exec", "file:a", "exec", FORBID),
        ("verdict: forbid, command: exec", "file:a", "open", ALLOW),
        ("verdict: forbid, command: [write, edit]", "file:a", "edit", FORBID),
        ("verdict: ask, command: (text)", "bash:a", "", ASK),
        ("verdict: ask, command: (text)", "bash:a", "cancel", ALLOW),
        ("verdict: ask, command: '*', topic_type: bash", "bash:a", "", ASK),
        ("verdict: ask, topic_type: bash", "file:bash", "open", ALLOW),
        ("verdict: ask, topic: 'bash:*', user: default", "bash:a", "", ASK),
        ("verdict: ask, topic: 'bash:*', user: other", "bash:a", "", ALLOW),
        ("verdict: ask", "file:a", "open", ASK),
    ],
)
def test_rules_on_commands_of_topics(line: str, topic: str, word: str, expected: Verdict) -> None:
    assert command_verdict(rules(line), topic, word) is expected


@pytest.mark.requirement("approval.policy.shell")
def test_the_short_form_asks_about_what_runs_programs_or_leaves_the_home() -> None:
    policy = Policy(rules=tuple(shell_rules()))
    for effect in Effect:
        assert command_verdict(policy, "bash:a", "", effect) is ASK
    assert command_verdict(policy, "bash:a", "cancel") is ALLOW
    assert verdict(policy, "cat") is ASK


@pytest.mark.requirement("approval.policy.conditions")
def test_a_rule_may_name_the_effects_of_commands() -> None:
    policy = rules("verdict: forbid, effect: outside", "verdict: ask, effect: [shell, outside]")
    assert command_verdict(policy, "file:a", "write", Effect.OUTSIDE) is FORBID
    assert command_verdict(policy, "file:a", "exec", Effect.SHELL) is ASK
    assert command_verdict(policy, "file:a", "open") is ALLOW
