"""The dialogue of `stringd approve` in a terminal: show one question at a time, and read its answer."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from stringd.cli.approve.question_text import question_page
from stringd.errors import DaemonUnreachable, RequestRefused
from stringd.text.unambiguous_text import unambiguous

if TYPE_CHECKING:
    from collections.abc import Callable

    from stringd.cli.approve.keyboard import Keyboard
    from stringd.cli.approve.question_feed import QuestionFeed
    from stringd.client.sync import Client

THROUGH = "stringd approve"
_END = "\x04"
_GONE = frozenset({404, 409})
_REACTION_SECONDS = 1.0
_BOLD, _PLAIN = "\x1b[1m", "\x1b[m"
_PROMPTS = {
    "approve": "Allow? y yes, n no, c no with a comment{extras}, ? show all: ",
    "text": "Answer (? shows all): ",
    "secret": "Answer (not shown): ",
    "choice": "Number (? shows all): ",
}


_FIXED_KEYS = frozenset("ync?")


class Given(NamedTuple):
    """What a person has answered."""

    value: Any
    comment: str | None = None
    extras: Mapping[str, str] = {}


class Dialogue:
    """Shows the questions of a feed and sends the answers that are typed."""

    def __init__(self, client: Client, token: str, feed: QuestionFeed, keyboard: Keyboard) -> None:
        self._client = client
        self._token = token
        self._feed = feed
        self._keyboard = keyboard
        self._shows_whole = False
        self._drafts: dict[str, str] = {}
        self._rests_until = 0.0

    def run(self, *, once: bool) -> None:
        """Run until Ctrl-C or Ctrl-D, or until one question was answered."""
        _write("Waiting for questions; press Ctrl-C to exit.")
        try:
            while True:
                self._await_question()
                question = next(iter(self._feed.questions.values()))
                self._shows_whole = False
                self._drafts = dict(question.get("suggestions", {}))
                if self._settle(question) and once:
                    return
        except EOFError:
            _leave_prompt()
        except (KeyboardInterrupt, DaemonUnreachable):
            _leave_prompt()
            raise

    def _await_question(self) -> None:
        while not self._feed.questions:
            if self._keyboard.read_key(self._feed, self._has_question) == _END:
                raise EOFError

    def _settle(self, question: dict[str, Any]) -> bool:
        """Ask until a question is answered, here or elsewhere; return whether it was answered here."""
        question_id = question["id"]
        shown: bool | None = None
        while question_id in self._feed.questions:
            if shown is not self._shows_whole:
                shown = self._shows_whole
                self._show(question)
            self._prompt(question)
            if self._answer(question):
                return True
        self._rests_until = time.monotonic() + _REACTION_SECONDS
        if closed := self._feed.closed.get(question_id):
            _write(f"\n{_outcome(closed)}")
        return False

    def _show(self, question: dict[str, Any]) -> None:
        bold, plain = _styles()
        lines = question_page(question, self._keyboard.columns, whole=self._shows_whole, now=time.time())
        others = len(self._feed.questions) - 1
        heading = f"{bold}── question {question['id']}{plain}{f', {others} more waiting' if others else ''}"
        _write("\n".join(("", heading, *lines)))
        self._client.mark_question_shown(question["id"], self._token)

    def _prompt(self, question: dict[str, Any]) -> None:
        # Whoever was about to answer a question that has vanished must see that this is another one.
        time.sleep(max(self._rests_until - time.monotonic(), 0))
        # Input that was typed earlier was not intended for this question.
        if question["kind"] == "approve":
            self._keyboard.expect_key()
        else:
            self._keyboard.expect_line(hidden=question["kind"] == "secret")
        extras = "".join(f", {key} yes with {name}" for key, name in self._extra_keys().items())
        _write(_PROMPTS[question["kind"]].format(extras=extras), end="")

    def _answer(self, question: dict[str, Any]) -> bool:
        read = {"approve": self._decision, "choice": self._choice}.get(question["kind"], self._text)
        answer = read(question)
        if answer is None:
            return False
        try:
            self._client.answer_question(
                question["id"],
                answer.value,
                token=self._token,
                comment=answer.comment,
                through=THROUGH,
                extras=answer.extras,
            )
        except RequestRefused as refused:
            _write(unambiguous(refused.message))
            # The feed may not have reported its end yet; do not ask again.
            if refused.status in _GONE:
                self._feed.settle(question["id"])
            return False
        self._feed.settle(question["id"])
        _write({True: "Allowed.", False: "Refused."}.get(answer.value, "Answered."))
        return True

    def _extra_keys(self) -> dict[str, str]:
        """Return the additional fields that can be edited, by the keys for them."""
        keys = {name[0]: name for name in sorted(self._drafts, reverse=True)}
        return {key: name for key, name in sorted(keys.items()) if key not in _FIXED_KEYS}

    def _decision(self, question: dict[str, Any]) -> Given | None:
        is_over = partial(self._is_over, question["id"])
        match self._keyboard.read_key(self._feed, is_over):
            case "y":
                _write("y")
                return Given(True)
            case "n":
                _write("n")
                return Given(False)
            case "c":
                comment = self._edited("c", "Comment: ", "", is_over)
                return None if comment is None else Given(False, comment)
            case "?":
                self._shows_whole = True
                _write("?")
            case key if key == _END:
                raise EOFError
            case str(key) if name := self._extra_keys().get(key):
                return self._with_extra(name, is_over)
            case _:
                _write("")
        return None

    def _with_extra(self, name: str, is_over: Callable[[], bool]) -> Given | None:
        """Have an additional field edited; what was typed is kept in case it is refused."""
        text = self._edited(name[0], f"{name}: ", self._drafts[name], is_over)
        if text is None:
            return None
        self._drafts[name] = text
        return Given(True, extras={name: text})

    def _edited(self, key: str, prompt: str, text: str, is_over: Callable[[], bool]) -> str | None:
        _write(f"{key}\nEnter accepts, Escape goes back.")
        return self._keyboard.edit_line(prompt, text, self._feed, is_over)

    def _choice(self, question: dict[str, Any]) -> Given | None:
        typed = self._line(question)
        if typed and typed.isascii() and typed.isdigit() and 0 < int(typed) <= len(question["choices"]):
            return Given(question["choices"][int(typed) - 1])
        return None

    def _text(self, question: dict[str, Any]) -> Given | None:
        typed = self._line(question)
        return Given(typed) if typed else None

    def _line(self, question: dict[str, Any]) -> str | None:
        hidden = question["kind"] == "secret"
        is_over = partial(self._is_over, question["id"])
        typed = self._keyboard.read_line(self._feed, is_over)
        if hidden:
            _write("")
        elif typed == "?":
            self._shows_whole = True
            return None
        return typed

    def _has_question(self) -> bool:
        self._feed.take()
        return bool(self._feed.questions)

    def _is_over(self, question_id: str) -> bool:
        """Process the changes of the feed; return whether the question is no longer open."""
        self._feed.take()
        return question_id not in self._feed.questions


def _outcome(closed: dict[str, Any]) -> str:
    if closed.get("by"):
        by, through = unambiguous(closed["by"]), unambiguous(closed["through"])
        return f"Already answered, by {by} through {through}."
    return f"Withdrawn: {unambiguous(closed.get('reason') or 'it is no longer open')}."


def _styles() -> tuple[str, str]:
    if os.environ.get("NO_COLOR") or os.environ.get("TERM", "dumb") == "dumb":
        return "", ""
    return _BOLD, _PLAIN


def _leave_prompt() -> None:
    """Leave what follows a line of its own, unless the terminal is gone."""
    with suppress(OSError):
        _write("")


def _write(text: str, end: str = "\n") -> None:
    sys.stdout.buffer.write(f"{text}{end}".encode(errors="replace"))
    sys.stdout.buffer.flush()
