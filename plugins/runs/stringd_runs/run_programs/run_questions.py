"""The questions of a run, and who answers them: a person at a terminal, or the lines of standard input."""

from __future__ import annotations

import json
import os
import select
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from msgspec import Struct

from stringd.plugin import Fault
from stringd.plugin.terminal_programs import Keyboard, visible_line

if TYPE_CHECKING:
    from stringd.plugin.terminal_programs import Feed
    from stringd_runs.run_programs.views import View

_CHUNK = 65536
_DECISIONS = {"y": "allow", "n": "deny", "a": "allow-session", "d": "deny-session"}
_CHOICES = "Allow? y yes, n no, a always in this run, d never in this run: "

_NOBODY = (
    "nobody can answer, since standard input has ended: run it at a terminal, write a line for each question"
    " to standard input, or let the person's step go on without asking, by --input or its presetMessage"
)

IsOver: TypeAlias = Callable[[], bool]


class RunQuestion(Struct, frozen=True, kw_only=True):
    """A question of a run: what is shown, and the message that answers it.

    For a permission, the answer is a decision.
    """

    key: str
    lines: tuple[str, ...]
    is_permission: bool
    reply_type: str
    reply: Mapping[str, Any]

    def answered(self, answer: str) -> dict[str, Any]:
        """Return the message with an answer."""
        return {"type": self.reply_type, **self.reply, "decision" if self.is_permission else "text": answer}


def read_question(message: Mapping[str, Any]) -> RunQuestion | None:
    """Return the question that a message asks, if it asks one."""
    run_id, agent = message.get("runId"), message.get("agentName")
    if message["type"] == "request_input":
        return RunQuestion(
            key=f"input {agent}",
            lines=(visible_line(f"{agent}, what do you say to this?"), *_quoted(message["prompt"])),
            is_permission=False,
            reply_type="user_input",
            reply={"runId": run_id, "agentName": agent},
        )
    if message["type"] == "request_permission":
        asked = f"{agent} wants to use {message['toolName']}: {message['operation']} {message['resource']}"
        lines = (visible_line(asked), *_quoted(message["reason"]), *_details(message.get("details") or {}))
        return RunQuestion(
            key=f"permission {message['requestId']}",
            lines=lines,
            is_permission=True,
            reply_type="permission_decision",
            reply={"runId": run_id, "permissionRequestId": message["requestId"]},
        )
    return None


class Respondent(Protocol):
    """Whoever answers questions."""

    def answer(self, question: RunQuestion, is_over: IsOver) -> str | None:
        """Return the answer, or None when `is_over` is true after changes of the feed."""


class PersonAtTerminal:
    """Asks the person at the keyboard; raises EOFError for Ctrl-D."""

    def __init__(self, keyboard: Keyboard, view: View, feed: Feed) -> None:
        self._keyboard = keyboard
        self._view = view
        self._feed = feed

    def answer(self, question: RunQuestion, is_over: IsOver) -> str | None:
        """Show a question and return what is typed."""
        try:
            return (
                self._decision(question, is_over) if question.is_permission else self._text(question, is_over)
            )
        finally:
            self._view.resume()

    def _text(self, question: RunQuestion, is_over: IsOver) -> str | None:
        self._keyboard.expect_line()
        self._view.ask(question.lines, "Answer: ")
        typed = self._keyboard.read_line(self._feed, is_over)
        if typed is not None:
            self._view.entered()
        return typed

    def _decision(self, question: RunQuestion, is_over: IsOver) -> str | None:
        self._keyboard.expect_key()
        self._view.ask(question.lines, _CHOICES)
        while (key := self._keyboard.read_key(self._feed, is_over)) is not None:
            if decision := _DECISIONS.get(key):
                self._view.decided(key)
                return decision
        return None


class LinesOfInput:
    """Takes each answer from the next line of a descriptor; at its end, somebody else must answer.

    If nobody else can, a `Fault` ends the program.
    """

    def __init__(self, descriptor: int, view: View, feed: Feed, *, are_others: bool) -> None:
        self._descriptor = descriptor
        self._view = view
        self._feed = feed
        self._are_others = are_others
        self._unread = b""
        self._has_ended = False

    def answer(self, question: RunQuestion, is_over: IsOver) -> str | None:
        """Show a question and return the next line."""
        self._view.ask(question.lines, "")
        self._view.resume()
        while (line := self._take_line()) is None:
            if self._has_ended and not self._are_others:
                raise Fault(_NOBODY)
            if not self._wait() and is_over():
                return None
        return _DECISIONS.get(line, line) if question.is_permission else line

    def _wait(self) -> bool:
        """Return true if there is more input, false if the feed has changed."""
        watched: list[Any] = [self._feed, *([] if self._has_ended else [self._descriptor])]
        ready, _, _ = select.select(watched, [], [])
        if self._descriptor not in ready:
            return False
        data = os.read(self._descriptor, _CHUNK)
        self._unread += data
        if not data:
            self._has_ended = True
            if self._are_others:
                self._view.note("Standard input has ended: the run waits until somebody else answers.")
        return True

    def _take_line(self) -> str | None:
        line, newline, rest = self._unread.partition(b"\n")
        if not newline and not (self._has_ended and line):
            return None
        self._unread = rest
        return line.decode(errors="replace").removesuffix("\r")


def _details(details: Mapping[str, Any]) -> tuple[str, ...]:
    shown = {name: it if isinstance(it, str) else json.dumps(it) for name, it in details.items()}
    return tuple(visible_line(f"• {name}: {text}") for name, text in shown.items())


def _quoted(text: str | None) -> tuple[str, ...]:
    return tuple(f"│ {visible_line(line)}" for line in (text or "").split("\n") if text)
