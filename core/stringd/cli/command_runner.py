"""Runs commands in a topic and prints their results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stringd.cli.interruptible import Interruptible
from stringd.cli.progress import showing_progress
from stringd.client.exec_stream import INCOMPLETE
from stringd.client.records import Result
from stringd.errors import RequestRefused
from stringd.processes.standard_streams import print_notice, write_error, write_json, write_output

if TYPE_CHECKING:
    from stringd.client.sync import Client


_NO_CONTENT = "The command has succeeded, and answers nothing."


class Interrupted(KeyboardInterrupt):
    """Ctrl-C was pressed, and the running command has ended with a reply."""


class CommandRunner:
    """Runs commands in one topic and prints their results."""

    def __init__(self, client: Client, topic: str, *, as_json: bool) -> None:
        self.client = client
        self.topic = topic
        self._as_json = as_json
        self.shown = ""
        """The last command with secrets masked by the daemon; empty if no reply arrived."""

    def run(self, command: str) -> bool:
        """Run one command, print its result and return whether it succeeded.

        Ctrl-C cancels the command; `Interrupted` is raised when its answer is printed.
        """
        self.shown = ""
        interruptible = Interruptible(self.client, self.topic, command)
        try:
            with showing_progress(self.client, self.topic, interruptible.request_id):
                result = interruptible.run()
        except RequestRefused as refused:
            self._print_refusal(refused)
            return False
        self.shown = result.shown
        self._print(result)
        if interruptible.is_cancelled:
            raise Interrupted
        return result.ok

    def _print(self, result: Result) -> None:
        if self._as_json:
            self._print_json(result)
        elif result.ok and not result.content.strip():
            # Nothing may be what a pipe expects on standard output.
            print_notice(_NO_CONTENT)
        elif result.ok or not result.content.startswith("ERROR("):
            write_output(result.content)
        else:
            write_error(result.content)
        if result.code == INCOMPLETE:
            print_notice("The answer is incomplete; the command may have run.")

    def _print_refusal(self, refused: RequestRefused) -> None:
        if self._as_json:
            self._print_json(Result(ok=False, code=refused.code, content=refused.message, meta=None))
        print_notice(refused.message)

    def _print_json(self, result: Result) -> None:
        line = {
            "ok": result.ok,
            "code": result.code,
            "topic": self.topic,
            "content": result.content,
            "meta": result.meta,
        }
        write_json(line)
