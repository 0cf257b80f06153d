"""Topics that are asked for more than an answer shows."""

from __future__ import annotations

import re
from dataclasses import dataclass

from stringd.testing.process import DaemonProcess

LIMIT = 50_000
PRINTED = 30_000
"""The limit of what programs print."""
GAP = re.compile(
    r"\n\[\.\.\. (?:(?P<lines>[\d,]+) lines?, )?(?P<characters>[\d,]+) characters left out"
    r" — (?P<how>.*) \.\.\.\]\n"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """A topic, and the daemon that it is in."""

    daemon: DaemonProcess
    topic: str = "file:main"
    user: str = "default"

    def system(self, cmd: str) -> str:
        """Return the system line of an answer."""
        return self._answer(cmd).partition("\n---\n")[0]

    def content(self, cmd: str) -> str:
        """Return what stands below the system line of an answer."""
        return self._answer(cmd).partition("\n---\n")[2]

    def refusal(self, cmd: str) -> str:
        """Return a whole answer, which must be an error."""
        answer = self._answer(cmd)
        assert answer.startswith("ERROR("), answer
        return answer

    def limit(self, characters: int) -> None:
        """Set the limit of this topic's answers."""
        slash = "//" if self.topic.startswith("bash:") else "/"
        assert self.daemon.exec(f'{slash}set {{_limit}} = "{characters}"', self.topic, self.user).head["ok"]

    def _answer(self, cmd: str) -> str:
        return self.daemon.exec(cmd, self.topic, self.user).content.partition("\n")[2]


def gap_of(content: str) -> re.Match[str]:
    """Return the note about what is left out, which must be there once."""
    (found,) = GAP.finditer(content)
    return found


def number(text: str) -> int:
    """Return a number that is written with commas."""
    return int(text.replace(",", ""))
