"""`approval.yaml`: what is valid, what makes everything a question, and when changes take effect."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stringd.plugin.strict_files import FileInvalid
from stringd_approval.policy.policy_file import FILE, PolicyFile
from stringd_approval.policy.policy_text import parse_policy
from stringd_approval.policy.rule import Verdict, shell_rules
from stringd_approval.policy.subjects import Effect
from tests.approval.rulings import command_verdict, policy, verdict, write_policy

ALLOW_ALL = "rules:\n- verdict: allow\n"
ALLOW_MUCH = "exec_seconds: 5\nrules:\n- verdict: allow\n  kind: exec\n- verdict: allow\n  command: open\n"
GOOD = """
approver: [ask-me, --loud]
exec_seconds: 12.5
question_seconds: 30
rules:
  # A comment.
  - verdict: allow
    kind: exec
    privileged: false
    session: ["claude-*", other]
    program: true
    arguments: [1, "...", "..."]
  - {verdict: forbid, topic_type: bash, command: (text), effect: shell}
"""


def asks_about_all(file: PolicyFile) -> bool:
    """Whether requests and commands are asked about."""
    current = file.current()
    verdicts = {verdict(current, "true"), command_verdict(current, "file:a", "open")}
    return verdicts == {Verdict.ASK} and current.problem is not None


@pytest.mark.requirement("approval.policy.file")
def test_a_policy_has_rules_an_approver_and_times() -> None:
    parsed = policy(GOOD)
    assert parsed.approver == ("ask-me", "--loud")
    assert (parsed.exec_seconds, parsed.question_seconds) == (12.5, 30)
    assert verdict(parsed, "true 1 ...", session="claude-1") is Verdict.ALLOW
    assert command_verdict(parsed, "bash:a", "", Effect.SHELL) is Verdict.FORBID


@pytest.mark.requirement("approval.policy.file")
def test_an_empty_policy_is_like_none() -> None:
    for text in ("", "# nothing\n", "rules: []\n"):
        parsed = policy(text)
        assert (parsed.rules, parsed.approver) == ((), ())
        assert (parsed.exec_seconds, parsed.question_seconds) == (300, 60)


@pytest.mark.requirement("approval.policy.invalid")
@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("- verdict: allow", 1, "approval.yaml must be a mapping with some of the keys rules, approver,"),
        ("rules:", 1, "rules must be a list"),
        ("rules: {}", 1, "rules must be a list"),
        ("rules: [x]", 1, "rule 1 must be a mapping"),
        ("\nruels: []", 2, "unknown key ruels in approval.yaml; nearest: rules"),
        ("zzz: []", 1, "known: rules, approver, exec_seconds, question_seconds"),
        ("rules: []\nrules: []", 2, "rules is given twice"),
        ("rules:\n- program: x", 2, "rule 1 has no verdict: allow, ask, forbid"),
        ("rules:\n- verdict: alow", 2, "verdict must be one of allow, ask, forbid"),
        ("rules:\n- verdict: [allow]", 2, "verdict must be one of allow, ask, forbid"),
        ("rules:\n- verdict: allow\n  progam: x", 3, "unknown key progam in rule 1; nearest: program"),
        ("rules:\n- verdict: allow\n  program:", 3, "program must be a text"),
        ("rules:\n- verdict: allow\n  program: ~", 3, "program must be a text"),
        ("rules:\n- verdict: allow\n  program: ''", 3, "program must be a text"),
        ("rules:\n- verdict: allow\n  program: []", 3, "program must be a text, or a list of texts"),
        ("rules:\n- verdict: allow\n  program: [[x]]", 3, "an item of program must be a text"),
        ("rules:\n- verdict: allow\n  program: ./x", 3, "an absolute path, not './x'"),
        ("rules:\n- verdict: forbid\n  program: /usr/../bin/rm", 3, "without '.', '..' and '//', not '/usr/"),
        ("rules:\n- verdict: forbid\n  program: [rm, //bin/rm]", 3, "without '.', '..' and '//', not '//"),
        ("rules:\n- verdict: allow\n  program: x\n  arguments: x", 4, "arguments must be a list"),
        ("rules:\n- verdict: allow\n  arguments: [x]", 2, "rule 1 allows arguments of any program"),
        ("rules:\n- verdict: allow\n  privileged: yes", 3, "privileged must be true or false"),
        ("rules:\n- verdict: allow\n  privileged: 'true'", 3, "privileged must be true or false"),
        ("rules:\n- verdict: allow\n  kind: both", 3, "kind must be one of exec, command"),
        ("rules:\n- verdict: ask\n  effect: all", 3, "effect must be one or some of shell, outside"),
        ("rules:\n- verdict: ask\n  command: /exec", 3, "without its slash"),
        ("rules:\n- verdict: ask\n  command: x\n  program: y", 2, "rule 1 can never apply"),
        ("rules:\n- verdict: ask\n  kind: command\n  session: y", 2, "rule 1 can never apply"),
        ("rules:\n- verdict: ask\n  kind: exec\n  effect: shell", 2, "rule 1 can never apply"),
        ("approver: ask-me", 1, "approver must be a list"),
        ("approver: []", 1, "approver must be a program and its arguments"),
        ("approver: [1, '']", 1, "an item of approver must be a text"),
        ('approver: ["\\0"]', 1, "an item of approver must be a text"),
        ("exec_seconds: 0", 1, "exec_seconds must be a number of seconds, at most 86400"),
        ("exec_seconds: -1", 1, "exec_seconds must be a number of seconds"),
        ("exec_seconds: .inf", 1, "exec_seconds must be a number of seconds"),
        ("exec_seconds: '5'", 1, "exec_seconds must be a number of seconds"),
        ("question_seconds: 3601", 1, "question_seconds must be a number of seconds, at most 3600"),
        ("a: &x 1\nb: *x", 1, "anchors and tags are not supported"),
        ("rules: !!python/object:os.system []", 1, "anchors and tags are not supported"),
        ("rules: []\n---\nrules: []", 2, "another document"),
        ("rules: [", 1, "node content"),
        ("rules: [[[[[[[[[[", 1, "nested too deeply"),
        ("%YAML " + "9" * 5000 + ".1\n---\n", 1, "not YAML"),
        ("\x07", 1, "a character that YAML does not allow"),
    ],
)
def test_what_is_not_understood_is_named_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(FileInvalid) as caught:
        parse_policy(text, FILE)
    assert message in caught.value.message
    assert caught.value.line == line


@pytest.mark.requirement("approval.policy.broken")
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"rules: {}", "approval.yaml:1: rules must be a list"),
        (b"\n\xff", "approval.yaml:2: not UTF-8"),
        (b"#" * 70_000, "larger than 64 KiB"),
    ],
)
def test_an_unusable_file_makes_everything_a_question(tmp_path: Path, content: bytes, reason: str) -> None:
    write_policy(tmp_path, "").write_bytes(content)
    file = PolicyFile(tmp_path)
    assert asks_about_all(file)
    assert reason in (file.problem or "")
    assert file.current().approver == ()


@pytest.mark.requirement("approval.policy.broken")
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666, 0o660])
def test_a_file_that_others_can_write_is_not_believed(tmp_path: Path, mode: int) -> None:
    path = write_policy(tmp_path, ALLOW_ALL, mode)
    file = PolicyFile(tmp_path)
    assert asks_about_all(file)
    assert f"others can write it (mode {mode:o})" in (file.problem or "")
    path.chmod(0o600)
    assert verdict(file.current(), "true") is Verdict.ALLOW


@pytest.mark.requirement("approval.policy.broken")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_file_of_another_user_is_not_believed(tmp_path: Path) -> None:
    path = write_policy(tmp_path, ALLOW_ALL)
    os.chown(path, 65534, 65534)
    file = PolicyFile(tmp_path)
    assert asks_about_all(file)
    assert "belongs to the user id 65534" in (file.problem or "")


@pytest.mark.requirement("approval.policy.broken")
def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    elsewhere = write_policy(tmp_path / "elsewhere", ALLOW_ALL)
    path = tmp_path / FILE
    file = PolicyFile(tmp_path)
    path.symlink_to(elsewhere)
    assert asks_about_all(file)
    assert "symbolic link" in (file.problem or "")
    path.unlink()
    os.mkfifo(path, 0o600)
    assert asks_about_all(file)
    path.unlink()
    path.mkdir()
    assert asks_about_all(file)


@pytest.mark.requirement("approval.policy.changes")
def test_changes_take_effect_at_once(tmp_path: Path) -> None:
    file = PolicyFile(tmp_path)
    assert verdict(file.current(), "true") is Verdict.ASK
    for expected in [Verdict.ALLOW, Verdict.FORBID] * 20:
        write_policy(tmp_path, f"rules:\n- verdict: {expected.value:>6}\n")
        assert verdict(file.current(), "true") is expected
    (tmp_path / FILE).unlink()
    assert verdict(file.current(), "true") is Verdict.ASK
    assert file.problem is None


@pytest.mark.requirement("approval.policy.shell")
def test_the_rules_of_the_file_come_before_those_of_the_short_form(tmp_path: Path) -> None:
    write_policy(tmp_path, "rules:\n- {verdict: allow, topic: 'bash:mine'}\n")
    current = PolicyFile(tmp_path, further=shell_rules()).current()
    assert command_verdict(current, "bash:mine", "", Effect.SHELL) is Verdict.ALLOW
    assert command_verdict(current, "bash:other", "", Effect.SHELL) is Verdict.ASK
    assert command_verdict(current, "bash:other", "cancel") is Verdict.ALLOW


@pytest.mark.requirement("approval.policy.broken")
@settings(deadline=None, max_examples=300)
@given(st.text(), st.integers(0, len(ALLOW_MUCH)), st.integers(0, 30))
@example("\0", 0, 0)
@example("x: y", len(ALLOW_MUCH), 0)
def test_a_broken_file_never_allows(text: str, position: int, length: int) -> None:
    damaged = ALLOW_MUCH[:position] + text + ALLOW_MUCH[position + length :]
    with tempfile.TemporaryDirectory() as folder:
        path = write_policy(Path(folder), "")
        path.write_bytes(damaged.encode(errors="surrogatepass"))
        current = PolicyFile(Path(folder)).current()
    try:
        parse_policy(damaged.encode().decode(), FILE)
    except (FileInvalid, UnicodeError):
        assert current.problem is not None
        assert verdict(current, "true") is Verdict.ASK
        assert command_verdict(current, "file:a", "open") is Verdict.ASK
    else:
        assert current.problem is None


@pytest.mark.requirement("approval.policy.broken")
@settings(deadline=None, max_examples=200)
@given(st.text(max_size=60))
def test_no_content_of_the_file_raises_anything_else(text: str) -> None:
    with contextlib.suppress(FileInvalid):
        parse_policy(text, FILE)
