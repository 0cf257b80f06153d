"""The text of a command of a topic, or of one of its effects, for the question to the operator."""

from __future__ import annotations

from collections.abc import Mapping

from stringd.plugin import BackgroundEffect, Invocation, Refusal
from stringd.plugin.documents import working_directory
from stringd.plugin.effects import Effect, FileChange, ShellRun
from stringd.plugin.processes import exported
from stringd.plugin.text import without_url_passwords
from stringd_approval.asking.display import Display, shortened
from stringd_approval.asking.notation import quoted

DENIED = "DENIED"
LONGEST_SHOWN = 64 * 1024
_MASKED = "(secrets in the text are masked)"
_HIDDEN = "(the text may have secrets: what follows is not shown)"


def display_command(invocation: Invocation, rule: str) -> Display:
    """Return the display of a command as it was sent, or refuse one that is too long to be shown."""
    note = _note_on(invocation)
    details = {**_place(invocation), **({"note": note} if note else {}), "rule": rule}
    return _display("Run a command", _shown_text(invocation), details)


def has_shown(display: Display, invocation: Invocation, effect: Effect) -> bool:
    """Whether the display of a command has everything that there is to know of an effect."""
    if isinstance(effect, FileChange):
        return str(effect.path) in display.body.partition("\n")[0].split()
    is_same_place = _shown(_place(invocation)).items() <= display.details.items()
    before = display.body.removesuffix(without_url_passwords(effect.text, may_run=True))
    return is_same_place and before != display.body and not before[-1:].strip()


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
            text, details, verb = effect.text, _place(invocation), "Type into the running program"
    # A text for a shell is its own command.
    more = {"command": command} if text != command else {}
    return _display(verb, text, {**details, **more, "rule": rule})


def display_background(asked: BackgroundEffect, rule: str) -> Display:
    """Return the display of an effect outside of commands, or refuse one that is too long to be shown."""
    details = {"purpose": asked.purpose, "rule": rule}
    match asked.effect:
        case ShellRun(text=text, directory=directory, values=values):
            place = {"directory": quoted(str(directory)), "values": _values(values)}
            return _display("Run a program", text, {**place, **details})
        case FileChange(path=path):
            return _display("Change a file", str(path), details)
        case _:
            return _display("Type into the running program", asked.effect.text, details)


def _display(verb: str, text: str, details: Mapping[str, str]) -> Display:
    text, details = without_url_passwords(text, may_run=True), _shown(details)
    if sum(map(len, (text, *details.values()))) > LONGEST_SHOWN:
        raise Refusal(DENIED, "The command is too long to be shown to the operator.")
    first, newline, _ = text.strip().partition("\n")
    title = f"{verb}: {shortened(quoted(first))}{' …' if newline else ''}"
    return Display(title=title, body=text, details=details)


def _shown(details: Mapping[str, str]) -> Mapping[str, str]:
    return {name: without_url_passwords(value, may_run=True) for name, value in details.items()}


def _values(values: Mapping[str, str]) -> str:
    return "\n".join(f"{name}={quoted(value)}" for name, value in sorted(values.items())) or "none"


def _place(invocation: Invocation) -> dict[str, str]:
    """Return where a command runs: the directory, the variables and the program of its topic."""
    session, info = invocation.session, invocation.topic.info()
    directory = info.get("cwd") or str(working_directory(session))
    program = {"program": quoted(info["program"])} if "program" in info else {}
    return {"directory": quoted(directory), "values": _values(exported(session)), **program}


def _text_of(invocation: Invocation) -> str:
    """Return a command's text; secrets in it are masked, as all clients see questions."""
    return "\n".join(filter(None, (_shown_text(invocation), _note_on(invocation))))


def _shown_text(invocation: Invocation) -> str:
    """Return what is shown of a command's text, with everything in its URLs that a shell might run."""
    text, shown = invocation.line.text, invocation.shown
    return without_url_passwords(text, may_run=True) if shown == without_url_passwords(text) else shown


def _note_on(invocation: Invocation) -> str | None:
    text, shown = invocation.line.text, _shown_text(invocation)
    if shown == text:
        return None
    return _MASKED if shown.count("\n") == text.count("\n") else _HIDDEN
