"""A directory that is swapped with a link to a place outside while commands use it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.documents.swapping import swapping

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="names change places at once on Linux only")

TOPICS = 4
TURNS = 40
SECRET = "the outside"
COMMANDS = {
    "/write": "/write swapped/new-{n}.md\nmine",
    "/write deep": "/write swapped/made/of/{n}/new.md\nmine",
    "/edit": "/edit --force swapped/there.md\nmine {n}",
    "/append": "/append --force swapped/there.md\nmine {n}",
    "/undo": "/undo --force",
    "/open": "/open swapped/there.md",
    "/ls": "/ls swapped",
    "include": "/open page.md",
    "|file": "/act.read --f swapped/there.md",
    "to:": "/act.save --n {n}",
    "/install": "/install swapped/app --as app{n}",
}
PAGE = """[!include:in](swapped/there.md)

```act.read
GET http://127.0.0.1:9/{f|file}
  f: string
```

```act.save
CLI printf mine
  n: string
```

```act.save.response
save: Response.body
to: swapped/saved-{n}.md
```
"""


@pytest.fixture
def outside(daemon: DaemonProcess) -> Iterator[Path]:
    """A place outside, while a directory of the home and a link that leads there change places."""
    outside, inside = daemon.home.parent / "outside", daemon.home / "swapped"
    for folder, text in ((outside, SECRET), (inside, "inside")):
        (folder / "app").mkdir(parents=True)
        (folder / "there.md").write_text(f"{text}\n", encoding="utf-8")
        (folder / "app" / "string.md").write_text(f"# {text}\n", encoding="utf-8")
    (outside / "only-outside").touch()
    (daemon.home / "page.md").write_text(PAGE, encoding="utf-8")
    (daemon.home / "link").symlink_to(outside)
    with swapping(inside, daemon.home / "link"):
        yield outside


@pytest.mark.requirement("paths.swapped")
@pytest.mark.parametrize("command", COMMANDS)
def test_swapped_directory_is_not_followed(daemon: DaemonProcess, outside: Path, command: str) -> None:
    before = contents(outside)

    def act(number: int) -> list[str]:
        topic = f"file:t{number}"
        daemon.exec("/open page.md", topic)
        turns = (COMMANDS[command].format(n=f"{number}-{turn}") for turn in range(TURNS))
        return [daemon.exec(it, topic).content for it in turns]

    with ThreadPoolExecutor(TOPICS) as pool:
        answers = [answer for answers in pool.map(act, range(TOPICS)) for answer in answers]
    assert contents(outside) == before
    assert [it for it in answers if SECRET in it or "only-outside" in it] == []
    assert "Traceback" not in daemon.stderr()
    installed = (daemon.home / "packages").rglob("string.md")
    assert [it for it in installed if SECRET in it.read_text(encoding="utf-8")] == []


def contents(folder: Path) -> dict[str, bytes]:
    return {str(it): it.read_bytes() if it.is_file() else b"" for it in folder.rglob("*")}
