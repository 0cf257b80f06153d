"""The text of a command of a topic, or of one of its effects, for the question to the operator. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from stringd.plugin import Invocation, Refusal
from stringd.plugin.effects import Effect, FileChange, ShellRun
from stringd.plugin.text import first_line
from stringd_approval.asking.display import Display, shortened
from stringd_approval.asking.notation import quoted

DENIED = "DENIED"
LONGEST_SHOWN = 64 * 1024
_HIDDEN = "(the text has secrets; this is its first line with these masked)"


def display_command(invocation: Invocation, rule: str) -> Display:
    """Return the display of a command as it was sent, or refuse one that is too long to be shown."""
    return _display("Run a command", _text_of(invocation), {"rule": rule})


def display_effect(invocation: Invocation, effect: Effect, rule: str) -> Display:
    """Return the display of what a command is about to do, or refuse what is too long to be shown."""
    command = _text_of(invocation)
    match effect:
        case ShellRun(text=text, directory=directory, values=values):
            details = {"directory": quoted(str(directory)), "values": _values(values)}
            verb = "Run a shell command"
        case FileChange(path=path):
            return _display("Change a file", str(path), {"command": command, "rule": rule})
        case _:
            text, details, verb = effect.text, {}, "Type into the running program"
    # A text for a shell is its own command.
    more = {"command": command} if text != command else {}
    return _display(verb, text, {**details, **more, "rule": rule})


def _display(verb: str, text: str, details: dict[str, str]) -> Display:
    if sum(map(len, (text, *details.values()))) > LONGEST_SHOWN:
        raise Refusal(DENIED, "The command is too long to be shown to the operator.")
    first, newline, _ = text.strip().partition("\n")
    title = f"{verb}: {shortened(quoted(first))}{' …' if newline else ''}"
    return Display(title=title, body=text, details=details)


def _values(values: Mapping[str, str]) -> str:
    return "\n".join(f"{name}={quoted(value)}" for name, value in sorted(values.items())) or "none"


def _text_of(invocation: Invocation) -> str:
    """Return a command's text; if something in it is masked, its label, as all clients see questions."""
    text, label = invocation.line.text, invocation.label
    return text if label == first_line(text) else f"{label}\n{_HIDDEN}"
