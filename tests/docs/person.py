"""A person of a page at a terminal of their own: what is shown there, and what they type."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from tests.docs.blocks import pattern

PATIENCE = 20.0
BETWEEN_KEYS = " then "
ENTER = " and Enter"
_OVERWRITTEN = re.compile(r"[^\n]*\r(?!$)")


class Person:
    """Runs a command in a new terminal, reads what it shows, and types."""

    def __init__(self, command: str, home: Path, environment: Mapping[str, str]) -> None:
        self._own, self._theirs = os.openpty()
        tty = os.ttyname(self._theirs)
        # The leader of a new session that opens a terminal gets it as its controlling one: Ctrl-C works.
        script = f"exec <>{tty} >{tty} 2>&1; {command}"
        self.process = subprocess.Popen(
            ["bash", "-c", script], cwd=home, env=dict(environment), start_new_session=True
        )
        self._shown = ""

    def sees(self, text: str, *, is_whole_line: bool = True) -> None:
        """Wait until the text of a page is shown next; what is shown so far is done with then."""
        expected = pattern(text).pattern
        self._wait_for(r"\s*" + (expected if is_whole_line else expected.removesuffix(r"\n")), text)

    def sees_and_types(self, text: str, typed: str) -> None:
        """Wait for a text, and type behind its prompts what is typed: `c then not now and Enter`."""
        for words in typed.split(BETWEEN_KEYS):
            keys = words.removesuffix(ENTER)
            before, prompt, after = text.partition(f": {keys}\n")
            assert prompt, f"no line ends with a prompt and {keys!r}, which is typed"
            self.sees(f"{before}: \n", is_whole_line=False)
            os.write(self._own, keys.encode())
            text = f"{keys}\n{after}"
            if words.endswith(ENTER):
                # A line that is edited is shown anew, with its prompt, for each key.
                self._wait_for(rf"[^\n]*{re.escape(keys)}", keys)
                os.write(self._own, b"\r")
                text = after
        self.sees(text)

    def _wait_for(self, wanted: str, text: str) -> None:
        """Wait until the terminal shows what matches; be done with that and everything before."""
        deadline = time.monotonic() + PATIENCE
        while not (found := re.match(wanted, self._shown)):
            ready, _, _ = select.select([self._own], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"the terminal shows\n{self._shown}\ninstead of\n{text}"
            shown = (self._shown + os.read(self._own, 65536).decode()).replace("\r\n", "\n")
            self._shown = _OVERWRITTEN.sub("", shown)
        self._shown = self._shown[found.end() :]

    def leave(self) -> None:
        """End the command, and close the terminal."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
        self.process.wait(PATIENCE)
        os.close(self._own)
        os.close(self._theirs)
