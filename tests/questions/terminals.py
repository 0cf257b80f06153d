"""A person at a terminal that runs `stringd approve`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from stringd.testing.process import DaemonProcess
from tests.cli.terminal import Terminal
from tests.questions.people import Asked, People

PERSON: dict[str, Any] = {"trust": "person", "waits_for_operator": True}
APPROVE = str(Path(sys.executable).with_name("stringd"))
READY = "Waiting for questions; press Ctrl-C to exit."


class Person(People):
    """A person at a terminal that runs `stringd approve`."""

    def __init__(self, daemon: DaemonProcess, terminal: Terminal) -> None:
        super().__init__(daemon)
        self.terminal = terminal

    def is_asked(self, **fields: Any) -> Asked:
        return self.ask(**PERSON, **fields)

    def sees(self, text: str) -> str:
        return self.terminal.expect(text)


@contextmanager
def approving(
    daemon: DaemonProcess, *options: str, env: str = "TERM=dumb", shell: str = ""
) -> Iterator[Person]:
    """Run the program; with a shell, as a job of that shell."""
    command = f"env {env} {APPROVE} --port {daemon.port} approve {' '.join(options)}"
    with Terminal(shell or command) as terminal:
        if shell:
            terminal.type(f"{command}\n")
        terminal.expect("The operator's token, as shown by the daemon: ")
        terminal.type(f"{daemon.operator_token}\n")
        terminal.expect(READY)
        yield Person(daemon, terminal)
