"""What an agent is to do, for each kind of tool: scripts with checks that can fail."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Terminal(Protocol):
    """What an agent needs of a terminal."""

    def run(self, text: str, seconds: float | None = None) -> str:
        """Run a text, or type it into the program that runs, and return what is shown."""

    def keys(self, *keys: str) -> str:
        """Press keys and type texts."""

    def failed_with(self, text: str) -> int:
        """Run a text and return its exit status."""

    def search(self, text: str) -> str:
        """Return the lines of the last output that contain a text."""


def exit_status(terminal: Terminal, _: Path) -> bool:
    """Learn the status of a program that prints nothing."""
    return terminal.failed_with("sh -c 'exit 7'") == 7


def kept_state(terminal: Terminal, _: Path) -> bool:
    """Find directory, variable and function again."""
    terminal.run("cd /usr/share; size=12; twice() { echo $((2 * $1)); }")
    return bool(re.search(r"^24 /usr/share$", terminal.run('echo "$(twice $size) $PWD"'), re.MULTILINE))


def repl(terminal: Terminal, _: Path) -> bool:
    """Define a function in Python and call it."""
    terminal.run("python3 -q")
    terminal.run("def area(a, b):\n    return a * b")
    terminal.run("")
    shown = terminal.run("print('area', area(37, 91))")
    terminal.keys("^D")
    return bool(re.search(r"^area 3367$", shown, re.MULTILINE))


def hidden_password(terminal: Terminal, home: Path) -> bool:
    """Type what a program asks for without echo."""
    terminal.run(f"read -rsp 'Password: ' word; printf %s \"$word\" >{home}/word; echo")
    shown = terminal.run("correct horse")
    return (home / "word").read_text(encoding="utf-8") == "correct horse" and "correct" not in shown


def needle_in_long_output(terminal: Terminal, home: Path) -> bool:
    """Find a line in the middle of what a program prints only once."""
    script = f"echo run >>{home}/runs; seq 1 60000; echo 'ERROR E4711 in step 9'; seq 60001 120000"
    terminal.run(script)
    found = "E4711 in step" in terminal.search("ERROR")
    return found and (home / "runs").read_text(encoding="utf-8") == "run\n"


def endless_program(terminal: Terminal, _: Path) -> bool:
    """See the beginning of what never ends, within seconds, and stop it."""
    start = time.monotonic()
    shown = terminal.run("while :; do date +tick-%s; sleep 0.3; done", seconds=1)
    terminal.keys("^C")
    after = terminal.run("echo usable-$((1 + 1))")
    return "tick-1" in shown and "usable-2" in after and time.monotonic() - start < 10


def editor(terminal: Terminal, home: Path) -> bool:
    """Write a file in vim."""
    terminal.run("vim -u NONE -n note.txt")
    terminal.keys("iHello from vim", "Escape", ":wq", "Enter")
    return (home / "note.txt").is_file() and "Hello from vim\n" in (home / "note.txt").read_text(
        encoding="utf-8"
    )


def long_line(terminal: Terminal, home: Path) -> bool:
    """Give a program a line of 6,000 characters."""
    line = "".join(f"{number:05}." for number in range(1000))
    terminal.run("cat >line.txt")
    terminal.run(line)
    terminal.keys("^D")
    return (home / "line.txt").read_text(encoding="utf-8") == f"{line}\n"


def exact_long_line(terminal: Terminal, _: Path) -> bool:
    """Read a line of 300 characters as it was printed, not as it was wrapped."""
    return bool(re.search(r"^0{299}7$", terminal.run("printf '%0300d\\n' 7"), re.MULTILINE))


def noisy_background(terminal: Terminal, _: Path) -> bool:
    """Tell the output of a command from that of a job in the background."""
    terminal.run("(sleep 0.5; echo noise) &")
    time.sleep(1)
    shown = terminal.run("echo signal")
    own = re.sub(r"(?s)\[background output\].*\[end of background output\]", "", shown)
    lines = own.split("\n")
    return "signal" in lines and "noise" not in lines


TERMINAL_TASKS: tuple[Callable[[Terminal, Path], bool], ...] = (
    exit_status,
    kept_state,
    repl,
    hidden_password,
    needle_in_long_output,
    endless_program,
    editor,
    long_line,
    exact_long_line,
    noisy_background,
)
