"""A run at a terminal: the agents' texts as they arrive, with a status line below them."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from stringd.plugin.terminal_programs import visible, visible_line
from stringd_runs.run_programs.agent_texts import AgentTexts, Piece
from stringd_runs.run_programs.progress_line import clipped, ending, progress_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stringd_runs.messages.run_progress import RunProgress

_BOLD, _FAINT, _RED, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[m"
# Make room for a line below without leaving the column, remember the place, and go to the line.
_TO_STATUS = "\x1bD\x1b[A\x1b7\r\x1b[B"
_BACK = "\x1b8"
_ERASE_BELOW = "\x1b[J"
_USUAL_COLUMNS = 80


class LiveView:
    """Writes to a terminal; the cursor stays where the next text comes, above the line of progress."""

    def __init__(self, descriptor: int, progress: RunProgress) -> None:
        self._descriptor = descriptor
        self._progress = progress
        self._texts = AgentTexts()
        self._began = time.monotonic()
        self._is_coloured = not os.environ.get("NO_COLOR")
        self._at_line_start = True
        self._has_status = False
        self._is_paused = False
        self._held_back: list[dict[str, Any]] = []
        self.last_text = ""
        """The last answer of an agent, which has been shown."""

    def show(self, message: dict[str, Any]) -> None:
        """Show a message of the run; while somebody types, keep it for later."""
        if self._is_paused:
            self._held_back.append(message)
            return
        self._show(message)

    def refresh(self) -> None:
        """Write the line of progress anew, since time goes by."""
        if not self._is_paused and not self._progress.is_over:
            line = progress_line(self._progress, time.monotonic() - self._began, self._columns())
            self._write(f"{_TO_STATUS}{_ERASE_BELOW}{self._styled(_FAINT, line)}{_BACK}")
            self._has_status = True

    def resize(self) -> None:
        """Follow the new size of the terminal, which may have wrapped its lines anew."""
        self._erase_status()
        self.refresh()

    def ask(self, lines: Sequence[str], prompt: str) -> None:
        """Show a question, and leave the line to whoever types, until `resume`."""
        self._end_line()
        self._put("".join(f"{self._styled(_BOLD, it)}\n" for it in lines))
        self._put(prompt)
        self._is_paused = True

    def entered(self) -> None:
        """Note that the terminal has gone to the next line, as it does for Enter."""
        self._at_line_start = True

    def decided(self, key: str) -> None:
        """Show the key that was pressed, which the terminal does not do by itself."""
        self._put(f"{key}\n")

    def resume(self) -> None:
        """Show what has arrived meanwhile, and go on."""
        self._is_paused = False
        held_back, self._held_back = self._held_back, []
        for message in held_back:
            self._show(message)

    def note(self, text: str) -> None:
        """Show a line of the program's own."""
        self._end_line()
        self._put(f"{visible_line(text)}\n")
        self.refresh()

    def finish(self) -> None:
        """Show how the run has ended."""
        self.resume()
        self._end_line()
        self._put(f"{self._styled(_BOLD, ending(self._progress, time.monotonic() - self._began))}\n")

    def leave(self) -> None:
        """Leave what follows a line of its own."""
        self._end_line()

    def _show(self, message: dict[str, Any]) -> None:
        match message["type"]:
            case "step_started":
                self._line(_BOLD, f"── {self._progress.place()}")
            case "agent_streaming":
                self._show_event(message["agentName"], message["event"])
            case "agent_output":
                self.last_text = message["text"]
                for piece in self._texts.end(message["agentName"], message["text"]):
                    self._show_piece(piece)
            case "steer_queued":
                self._line(_FAINT, f"steered: {message['text']}")
            case "strategy_completed" if message.get("unusedSteering"):
                for text in message["unusedSteering"]:
                    self._line(_FAINT, f"nobody was left to take this into account: {text}")

    def _show_event(self, agent: str, event: dict[str, Any]) -> None:
        match event["type"]:
            case "text":
                for piece in self._texts.add(agent, event["text"]):
                    self._show_piece(piece)
            case "tool-call":
                self._line(_FAINT, f"{agent} calls {event['toolName']} {event['args']}")
            case "tool-result" if event["status"] == "error":
                self._line(_RED, f"{event['toolName']} failed: {event.get('error') or event['output']}")

    def _show_piece(self, piece: Piece) -> None:
        if piece.begins and piece.agent != self._progress.step:
            self._line(_BOLD, piece.agent)
        if piece.begins:
            self._end_line()
        self._put(visible(piece.text))

    def _line(self, style: str, text: str) -> None:
        self._end_line()
        line = clipped(visible_line(text), self._columns() - 1)
        self._put(f"{self._styled(style, line)}\n")

    def _styled(self, style: str, text: str) -> str:
        return f"{style}{text}{_PLAIN}" if self._is_coloured else text

    def _end_line(self) -> None:
        self._erase_status()
        if not self._at_line_start:
            self._put("\n")

    def _erase_status(self) -> None:
        if self._has_status:
            self._write(_ERASE_BELOW)
            self._has_status = False

    def _put(self, text: str) -> None:
        if text:
            self._erase_status()
            self._write(text)
            self._at_line_start = text.endswith("\n")

    def _write(self, text: str) -> None:
        data = text.encode(errors="replace")
        with suppress(OSError):
            while data:
                data = data[os.write(self._descriptor, data) :]

    def _columns(self) -> int:
        with suppress(OSError):
            return os.get_terminal_size(self._descriptor).columns or _USUAL_COLUMNS
        return _USUAL_COLUMNS
