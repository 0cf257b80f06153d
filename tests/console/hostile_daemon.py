"""A daemon whose users, files, outputs and questions consist of hostile texts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from stringd.testing.process import DaemonProcess
from tests.console.hostile_texts import HOSTILE_TEXTS

ASKER = Path(__file__).parents[1] / "questions" / "asker.py"
_TOPICS = 12
_QUESTIONS = 60
_LONGEST_NAME = 60
_LONGEST_CHOICE = 200


@contextmanager
def hostile_daemon(folder: Path) -> Iterator[DaemonProcess]:
    """Run a daemon, and let agents fill everything that they can fill."""
    daemon = DaemonProcess(folder, ("--plugins", str(ASKER)), {}, port=0, data_dir=None, operator=True)
    daemon.start()
    try:
        daemon.register()
        daemon.home.mkdir(exist_ok=True)
        for number, text in enumerate(HOSTILE_TEXTS):
            _plant(daemon, number, text)
        yield daemon
    finally:
        daemon.kill()


def topic_paths() -> Sequence[str]:
    """Return the paths of the pages of all topics."""
    names = (f"{kind}:t{number}" for kind in ("file", "bash") for number in range(_TOPICS))
    return [f"topics/default/{quote(name, safe='')}" for name in names]


def _plant(daemon: DaemonProcess, number: int, text: str) -> None:
    line = " ".join(text.split())
    topic = f"t{number % _TOPICS}"
    name = _file_name(line) or f"empty-{number}"
    title = json.dumps(line, ensure_ascii=False)
    page = f"---\ntitle: {title}\n---\n\n# {line}\n\n{text}\n\n[{line[:200]}]({quote(line[:200])})\n"
    (daemon.home / f"{number}.md").write_text(page, "utf-8", "surrogatepass")
    (daemon.home / name).write_text(text, "utf-8", "surrogatepass")
    for command in (
        f"/open {number}.md",
        f'/open "{name}"',
        f"/set v{number} {line}",
        f"/write w{number}.md\n{text}",
        f"/{line[:2000]}",
    ):
        daemon.exec(command, f"file:{topic}")
    daemon.exec(f"cat {number}.md", f"bash:{topic}")
    daemon.exec(f"printf %s '{line[:1000].replace(chr(39), '')}' >&2; false", f"bash:{topic}")
    if number % (len(HOSTILE_TEXTS) // _QUESTIONS) == 0:
        daemon.exec(f"/detach {json.dumps(_question(number, text))}", f"file:{topic}")


def _file_name(line: str) -> str:
    return line.replace("/", "⁄").replace('"', "”")[:_LONGEST_NAME].strip()


def _question(number: int, text: str) -> dict[str, object]:
    line = " ".join(text.split())
    question: dict[str, object] = {
        "title": line[:200] or "empty",
        "body": text,
        "details": {f"detail {number}": text[:60_000], line[:60] or "empty": line[:60_000]},
        "kind": ("approve", "text", "choice", "secret")[number % 4],
        "trust": "person",
        "waits_for_operator": True,
    }
    if question["kind"] == "choice":
        question["choices"] = [line[:_LONGEST_CHOICE] or "empty", "another"]
    return question
