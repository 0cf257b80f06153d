"""Parse the text of a policy; anything that is not understood makes all of it invalid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stringd.plugin.strict_files import FileInvalid, Value, read_yaml
from stringd_approval.policy.patterns import is_indirect
from stringd_approval.policy.policy_record import EXEC_SECONDS, QUESTION_SECONDS, Policy
from stringd_approval.policy.rule import TEXT, Rule, Verdict
from stringd_approval.policy.subjects import Effect, Kind

KEYS = ("rules", "approver", "exec_seconds", "question_seconds")
CONDITIONS = (
    "kind",
    "user",
    "topic",
    "topic_type",
    "privileged",
    "session",
    "program",
    "arguments",
    "command",
    "effect",
)
_RULE_KEYS = ("verdict", *CONDITIONS)
_LONGEST_RUN, _LONGEST_QUESTION = 86_400, 3_600
_DEEPEST = 6
# The conditions that several patterns can meet, and the fields of a rule that they become.
_PATTERNS = {
    "user": "users",
    "topic": "topics",
    "topic_type": "topic_types",
    "session": "sessions",
    "program": "programs",
    "command": "commands",
}


def parse_policy(text: str, name: str) -> Policy:
    """Return the policy of a file with this name, or raise `FileInvalid`."""
    document = read_yaml(text, _DEEPEST)
    if document is None:
        return Policy()
    values = Value(document, name).mapping(KEYS)
    return Policy(
        rules=_rules(values.get("rules"), name),
        approver=_approver(values.get("approver")),
        exec_seconds=_seconds(values.get("exec_seconds"), EXEC_SECONDS, _LONGEST_RUN),
        question_seconds=_seconds(values.get("question_seconds"), QUESTION_SECONDS, _LONGEST_QUESTION),
    )


def _rules(value: Value | None, file: str) -> tuple[Rule, ...]:
    items = value.items() if value else ()
    return tuple(
        _rule(Value(it.node, f"rule {number}"), f"rule {number} ({file}:{it.line})")
        for number, it in enumerate(items, 1)
    )


def _rule(value: Value, name: str) -> Rule:
    given = value.mapping(_RULE_KEYS)
    if "verdict" not in given:
        raise FileInvalid(value.line, f"{value.name} has no verdict: {', '.join(Verdict)}")
    rule = Rule(verdict=Verdict(given["verdict"].word([*Verdict])), name=name, **_conditions(given))
    _refuse_impossible(rule, value)
    _refuse_careless(rule, value)
    return rule


def _conditions(given: Mapping[str, Value]) -> dict[str, Any]:
    fields: dict[str, Any] = {_PATTERNS[key]: _texts(it) for key, it in given.items() if key in _PATTERNS}
    if "kind" in given:
        fields["kind"] = Kind(given["kind"].word([*Kind]))
    if "privileged" in given:
        fields["privileged"] = given["privileged"].truth()
    if "arguments" in given:
        fields["arguments"] = tuple(it.as_written() for it in given["arguments"].items())
    if "effect" in given:
        fields["effects"] = _effects(given["effect"])
    for word in fields.get("programs", ()):
        _check_program(word, given["program"])
    for word in fields.get("commands", ()):
        _check_command(word, given["command"])
    return fields


def _texts(value: Value) -> tuple[str, ...]:
    """Return one text, or the texts of a list that has some."""
    if not value.is_list:
        return (value.as_written(),)
    if not value.items():
        raise value.invalid("a text, or a list of texts")
    return tuple(it.as_written() for it in value.items())


def _effects(value: Value) -> frozenset[Effect]:
    unknown = [it for it in _texts(value) if it not in set(Effect)]
    if unknown:
        raise value.invalid(f"one or some of {', '.join(Effect)}")
    return frozenset(map(Effect, _texts(value)))


def _check_program(pattern: str, value: Value) -> None:
    if "/" in pattern and not pattern.startswith("/"):
        raise value.invalid(f"a name such as git or an absolute path, not {pattern!r}")
    if "/" in pattern and is_indirect(pattern):
        raise value.invalid(f"the path of a file without '.', '..' and '//', not {pattern!r}")


def _check_command(pattern: str, value: Value) -> None:
    if pattern.startswith("/") or (pattern != pattern.lower() and pattern != TEXT):
        raise value.invalid(f"a command's name in lower case without its slash, or {TEXT}, not {pattern!r}")


def _refuse_impossible(rule: Rule, value: Value) -> None:
    """Refuse conditions that nothing can meet."""
    is_of_requests = rule.is_of_requests or rule.kind is Kind.EXEC
    is_of_commands = rule.is_of_commands or rule.kind is Kind.COMMAND
    if is_of_requests and is_of_commands:
        requests, commands = "privileged, session, program and arguments", "command and effect"
        message = f"{requests} are conditions of kind exec, {commands} of kind command"
        raise FileInvalid(value.line, f"{value.name} can never apply: {message}")


def _refuse_careless(rule: Rule, value: Value) -> None:
    if rule.verdict is Verdict.ALLOW and rule.arguments is not None and not rule.programs:
        message = "allows arguments of any program; name the program as well"
        raise FileInvalid(value.line, f"{value.name} {message}")


def _approver(value: Value | None) -> tuple[str, ...]:
    if value is None:
        return ()
    words: Sequence[str] = [it.as_written() for it in value.items()]
    if not words:
        raise value.invalid("a program and its arguments")
    return tuple(words)


def _seconds(value: Value | None, default: float, most: int) -> float:
    if value is None:
        return default
    expected = f"a number of seconds, at most {most}"
    seconds = value.number(expected)
    if not 0 < seconds <= most:
        raise value.invalid(expected)
    return float(seconds)
