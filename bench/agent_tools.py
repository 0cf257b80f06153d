"""The tools that scripted agents use: what each sends and reads is counted."""

from __future__ import annotations

import json
import re
import subprocess
import time
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import TYPE_CHECKING

from bench.servers import USER, clean_environment
from bench.stdio_peer import StdioPeer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bench.servers import Server

_PATIENCE = 90.0
_LOOKS, _PAUSE = 40, 0.25
_NAMES = {"Escape": "Escape", "Enter": "Enter", "^C": "C-c", "^D": "C-d"}


@dataclass(slots=True)
class Meter:
    """What the use of a tool costs an agent."""

    round_trips: int = 0
    characters: int = 0

    def count(self, sent: str, received: str) -> str:
        """Count a round trip, and return what was received."""
        self.round_trips += 1
        self.characters += len(sent) + len(received)
        return received


class Stringd:
    """A topic of a daemon."""

    def __init__(self, server: Server, topic: str, meter: Meter) -> None:
        self._topic = topic
        self._meter = meter
        self._connection = HTTPConnection("127.0.0.1", server.port, timeout=_PATIENCE)

    def send(self, cmd: str) -> str:
        """Send a command or a text and return the reply."""
        body = json.dumps({"topic": self._topic, "cmd": cmd})
        headers = {"content-type": "application/json", "x-user-id": USER}
        self._connection.request("POST", "/exec", body, headers)
        answer = self._connection.getresponse().read().decode()
        events = dict(it.split("\ndata: ", 1) for it in answer.split("\n\n") if it.startswith("event: "))
        content = json.loads(events["event: content"])
        return self._meter.count(cmd, content.partition("\n")[2])

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class StringdTerminal(Stringd):
    """A shell in a bash topic."""

    def run(self, text: str, seconds: float | None = None) -> str:
        """Run a text, or type it into the program that runs."""
        return self.send(text if seconds is None else f"//wait {seconds:g} {text}")

    def keys(self, *keys: str) -> str:
        """Press keys and type texts."""
        return self.send(f"//keys {' '.join(it if it in _NAMES else json.dumps(it) for it in keys)}")

    def failed_with(self, text: str) -> int:
        """Run a text and return its exit status."""
        found = re.match(r"exit: (\d+)", self.run(text))
        return int(found[1]) if found else -1

    def search(self, text: str) -> str:
        """Return the lines of the last output that contain a text."""
        return self.send(f"//output --grep {text}")


class TmuxTerminal:
    """A shell in tmux, as agents use it: keys are sent, and the pane is read until it does not change."""

    def __init__(self, home: Path, meter: Meter) -> None:
        self._meter = meter
        self._socket = str(home / "tmux.socket")
        self._home = home
        self._tmux("-f", "/dev/null", "new-session", "-d", "-x", "120", "-y", "50", "bash --norc --noprofile")
        self._settled()

    def run(self, text: str, seconds: float | None = None) -> str:
        """Type a text and Enter, and return the pane."""
        for line in text.split("\n"):
            self._meter.count(line, self._tmux("send-keys", "-l", "--", line))
            self._tmux("send-keys", "Enter")
        return self._settled(seconds)

    def keys(self, *keys: str) -> str:
        """Press keys and type texts, and return the pane."""
        for key in keys:
            named = (_NAMES[key],) if key in _NAMES else ("-l", "--", key)
            self._meter.count(key, self._tmux("send-keys", *named))
        return self._settled()

    def failed_with(self, text: str) -> int:
        """Run a text and return its exit status."""
        found = re.findall(r"^status=(\d+)", self.run(f"{text}; echo status=$?"), re.MULTILINE)
        return int(found[-1]) if found else -1

    def search(self, text: str) -> str:
        """Return the lines of all that tmux remembers that contain a text."""
        shown = self._meter.count("", self._tmux("capture-pane", "-p", "-S", "-"))
        return "\n".join(it for it in shown.split("\n") if text in it)

    def close(self) -> None:
        """End tmux and what runs in it."""
        self._tmux("kill-server")

    def _settled(self, seconds: float | None = None) -> str:
        """Look until three looks are equal; each look is a round trip."""
        looks: list[str] = []
        for _ in range(_LOOKS if seconds is None else max(int(seconds / _PAUSE), 1)):
            time.sleep(_PAUSE)
            looks.append(self._meter.count("", self._tmux("capture-pane", "-p").rstrip()))
            if len(looks) > 2 and len(set(looks[-3:])) == 1:
                break
        return looks[-1]

    def _tmux(self, *arguments: str) -> str:
        line = ("tmux", "-S", self._socket, *arguments)
        environment = clean_environment() | {"HOME": str(self._home), "PS1": "$ ", "LC_ALL": "C.UTF-8"}
        done = subprocess.run(line, cwd=self._home, env=environment, capture_output=True, timeout=_PATIENCE)
        return done.stdout.decode(errors="replace")


class ToolServer:
    """An MCP server, whose calls and results are counted."""

    def __init__(self, command: Sequence[str], home: Path, meter: Meter) -> None:
        self._meter = meter
        self._peer = StdioPeer(command, home)
        self.home = home

    def call(self, tool: str, **arguments: object) -> str:
        """Call a tool and return the text of its result."""
        return self._meter.count(json.dumps(arguments), self._peer.call(tool, arguments))

    def close(self) -> None:
        """End the server."""
        self._peer.close()
