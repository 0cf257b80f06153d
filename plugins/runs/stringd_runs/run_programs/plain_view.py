"""A run as plain lines, for logs and pipes, and as lines of JSON."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from stringd.plugin.terminal_programs import visible_line, write_error, write_json
from stringd.plugin.text import counted
from stringd_runs.run_programs.progress_line import ending

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stringd_runs.messages.run_progress import RunProgress


class PlainView:
    """Writes each step, tool call and answer to standard error as soon as it is complete."""

    last_text = None

    def __init__(self, progress: RunProgress) -> None:
        self._progress = progress
        self._began = time.monotonic()

    def show(self, message: dict[str, Any]) -> None:
        """Show a message of the run."""
        match message["type"]:
            case "step_started":
                write_error(f"step {visible_line(self._progress.place())}")
            case "agent_streaming":
                self._show_event(message["agentName"], message["event"])
            case "agent_output":
                usage = message["usage"]
                tokens = counted(usage["promptTokens"] + usage["completionTokens"], "token")
                self.note(f"{message['agentName']} has answered ({tokens}):")
                write_error("\n".join(f"  {line}" for line in message["text"].split("\n")))
            case "steer_queued":
                self.note(f"steered: {message['text']}")
            case "strategy_completed":
                for text in message.get("unusedSteering") or ():
                    self.note(f"nobody was left to take this into account: {text}")

    def refresh(self) -> None:
        """Do nothing: only complete lines are shown."""

    resize = entered = resume = leave = refresh

    def ask(self, lines: Sequence[str], prompt: str) -> None:
        """Show a question."""
        for line in lines:
            self.note(line)
        with suppress(OSError):
            sys.stderr.write(prompt)
            sys.stderr.flush()

    def decided(self, key: str) -> None:
        """Show the key that was pressed."""
        self.note(key)

    def note(self, text: str) -> None:
        """Show a line."""
        write_error(visible_line(text))

    def finish(self) -> None:
        """Show how the run has ended."""
        write_error(ending(self._progress, time.monotonic() - self._began))

    def _show_event(self, agent: str, event: dict[str, Any]) -> None:
        match event["type"]:
            case "tool-call":
                self.note(f"{agent} calls {event['toolName']} {event['args']}")
            case "tool-result" if event["status"] == "error":
                self.note(f"{event['toolName']} failed: {event.get('error') or event['output']}")


class JsonView(PlainView):
    """Prints each message as a line of JSON on standard output."""

    def show(self, message: dict[str, Any]) -> None:
        """Print a message."""
        write_json(message)

    def finish(self) -> None:
        """Do nothing: the last message says how the run has ended."""
