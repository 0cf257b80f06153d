"""From the start of a run to its end: messages are shown, questions answered, and Ctrl-C stops the run."""

from __future__ import annotations

import select
from typing import TYPE_CHECKING, Any

from stringd.plugin import Fault
from stringd.plugin.terminal_programs import DaemonUnreachable
from stringd_runs.run_programs.message_feed import Interruption
from stringd_runs.run_programs.run_questions import RunQuestion, read_question

if TYPE_CHECKING:
    from stringd_runs.messages.run_progress import RunProgress
    from stringd_runs.run_programs.message_feed import Message, MessageFeed
    from stringd_runs.run_programs.run_questions import Respondent
    from stringd_runs.run_programs.views import View

_REFRESH_SECONDS = 1.0
_START = "start"
_GONE = "the connection to the daemon has ended; `stringd runs show {}` shows the run"
_STOPPING = "Stopping the run; press Ctrl-C again to leave without waiting for it."


class RunDialogue:
    """Shows one run, and answers its questions."""

    def __init__(
        self, feed: MessageFeed, run_id: str, progress: RunProgress, view: View, respondent: Respondent
    ) -> None:
        self._feed = feed
        self._run_id = run_id
        self._progress = progress
        self._view = view
        self._respondent = respondent
        self._questions: dict[str, RunQuestion] = {}
        self.is_stopped = False
        """Whether Ctrl-C was pressed."""

    def run(self, text: str) -> None:
        """Start the run with an input, and return when it has ended.

        Raise KeyboardInterrupt if Ctrl-C was pressed twice, and EOFError for Ctrl-D.
        """
        with self._feed.signals():
            self._feed.send("start_run", runId=self._run_id, input=text, requestId=_START)
            while not self._progress.is_over:
                if self._questions:
                    self._answer(next(iter(self._questions.values())))
                else:
                    self._wait()
        self._view.finish()

    def _wait(self) -> None:
        ready, _, _ = select.select([self._feed], [], [], _REFRESH_SECONDS)
        if ready:
            self._follow()
        else:
            self._view.refresh()

    def _answer(self, question: RunQuestion) -> None:
        answer = self._respondent.answer(question, lambda: self._is_over(question))
        if answer is not None and question.key in self._questions:
            del self._questions[question.key]
            message = question.answered(answer)
            self._feed.send(message.pop("type"), **message)

    def _is_over(self, question: RunQuestion) -> bool:
        """Follow the run; return whether a question is no longer open."""
        self._follow()
        return self._questions.get(question.key) is not question

    def _follow(self) -> None:
        for it in self._feed.take():
            match it:
                case Interruption.INTERRUPTED:
                    self._stop()
                case Interruption.RESIZED:
                    self._view.resize()
                case Interruption.DISCONNECTED if not self._progress.is_over:
                    raise DaemonUnreachable(_GONE.format(self._run_id))
                case dict():
                    self._take(it)
        self._view.refresh()

    def _take(self, message: Message) -> None:
        if message["type"] == "error":
            self._take_error(message)
            return
        self._progress.follow(message)
        if question := read_question(message):
            self._questions[question.key] = question
        self._close_questions(message)
        self._view.show(message)

    def _take_error(self, message: Message) -> None:
        if message.get("requestId") == _START:
            raise Fault(message["message"])
        self._view.note(message["message"])

    def _close_questions(self, message: dict[str, Any]) -> None:
        """Forget questions that, by the messages, have been answered elsewhere."""
        if self._progress.is_over:
            self._questions.clear()
        elif message["type"] == "step_completed":
            self._questions.pop(f"input {message['stepName']}", None)

    def _stop(self) -> None:
        if self.is_stopped:
            raise KeyboardInterrupt
        self.is_stopped = True
        self._questions.clear()
        self._feed.send("stop_run", runId=self._run_id)
        self._view.note(_STOPPING)
