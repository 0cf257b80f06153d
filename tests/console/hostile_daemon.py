"""A daemon whose users, files, outputs and questions consist of hostile texts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from stringd.testing.process import DaemonProcess
from tests.console.hostile_texts import HOSTILE_TEXTS
from tests.console.run_strategies import finished, strategy
from tests.runs.running.strategy_files import echo

ASKER = Path(__file__).parents[1] / "questions" / "asker.py"
_TOPICS = 12
_QUESTIONS = 60
_RUNS = 20
_LONGEST_NAME = 60
_LONGEST_CHOICE = 200


@contextmanager
def hostile_daemon(folder: Path) -> Iterator[DaemonProcess]:
    """Run a daemon, and let agents fill everything that they can fill."""
    daemon = DaemonProcess(folder, ("--plugins", str(ASKER)), {}, port=0, data_dir=None, operator=True)
    daemon.start()
    try:
        daemon.home.mkdir(exist_ok=True)
        daemon.register("default", daemon.home)
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
    if number % (len(HOSTILE_TEXTS) // _RUNS) == 0:
        _install(daemon, number, line[:300])
        agent = {**echo(text), "description": line[:300]}
        finished(daemon, strategy(daemon, f"strategy-{number}", {"writer": agent}), text[:20_000])


def _install(daemon: DaemonProcess, number: int, line: str) -> None:
    described = json.dumps(line, ensure_ascii=False)
    key = f"env:\n  - name: KEY\n    description: {described}\n"
    page = f"---\nname: app-{number}\ndescription: {described}\n{key}---\n# App\n"
    (daemon.home / f"app-{number}.md").write_text(page, "utf-8", "surrogatepass")
    daemon.exec(f"/install app-{number}.md", "file:apps")


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
