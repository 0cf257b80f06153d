"""Helpers that call the actions of documents in a topic of a running daemon."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stringd.testing.process import DaemonProcess


@contextmanager
def running_daemon(folder: Path, **env: str) -> Iterator[DaemonProcess]:
    """Run a daemon for several tests; at its end, none of them may have broken anything in it."""
    running = DaemonProcess(folder, (), env, port=0, data_dir=None)
    running.start()
    try:
        running.register("default", running.home)
        yield running
        assert "Traceback" not in running.stderr()
        assert running.stop() == 0
    finally:
        running.kill()


@dataclass(kw_only=True)
class Stage:
    """A daemon, and the topic that a test acts in."""

    daemon: DaemonProcess
    topic: str = "file:main"

    def write(self, text: str, name: str = "page.md") -> None:
        (self.daemon.home / name).write_text(text, encoding="utf-8")

    def open(self, *fences: str, name: str = "page.md") -> str:
        """Write a page of these fences, open it, and return what is shown of it."""
        self.write("# Page\n\n" + "\n\n".join(fences) + "\n", name)
        return self.send(f"/open {name}")

    def send(self, cmd: str) -> str:
        """Return the answer to a command, without its label."""
        return self.daemon.exec(cmd, self.topic).content.partition("\n")[2]

    def meta(self) -> dict[str, str | None] | None:
        """Return where the topic is."""
        meta: dict[str, str | None] | None = self.daemon.exec("/info", self.topic).head["meta"]
        return meta

    def code(self, cmd: str) -> str | None:
        code: str | None = self.daemon.exec(cmd, self.topic).head["code"]
        return code


def act(name: str, *lines: str) -> str:
    """The fence of an action, or of what belongs to one."""
    return "\n".join((f"~~~act.{name}", *lines, "~~~"))
