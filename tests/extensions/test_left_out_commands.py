"""A command for a topic type that no loaded plugin adds is left out; the rest of its plugin works."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from stringd.testing.process import DaemonProcess
from tests.programs import run_stringd

FIRST = """
from stringd.plugin import Command, Reply, hookimpl

async def answer(invocation):
    return Reply.confirmation("Answered")

def command(name, **more):
    return Command(name=name, summary="A test.", usage=name, run=answer, **more)

@hookimpl
def stringd_commands():
    return [
        command("one", topic_types=frozenset({"file", "fil"})),
        command("two", topic_types=frozenset({"zzzz"})),
        command("three", topic_types=frozenset({"later"})),
        command("four"),
    ]
"""
SECOND = """
from stringd.plugin import TopicType, hookimpl

@hookimpl
def stringd_topic_types():
    return [TopicType(name="later", summary="Comes later.")]
"""
LEFT_OUT = [
    "command /one of fil topics left out: unknown topic type: did you mean file?",
    "command /two of zzzz topics left out: unknown topic type: no plugin that is loaded adds it",
]


def write_plugins(folder: Path) -> tuple[Path, Path]:
    """Write the two plugins as files of a directory of their own."""
    folder.mkdir()
    for name, source in (("first", FIRST), ("second", SECOND)):
        (folder / f"{name}.py").write_text(source, encoding="utf-8")
    return folder / "first.py", folder / "second.py"


def test_the_rest_of_the_plugin_works(start_daemon: Callable[..., DaemonProcess], tmp_path: Path) -> None:
    first, second = write_plugins(tmp_path / "plugins")
    daemon = start_daemon("--plugins", f"{first},{second}")
    daemon.register("default", daemon.home)
    for cmd, topic in (("/one", "file:main"), ("/four", "file:main"), ("/three", "later:main")):
        assert daemon.exec(cmd, topic).content == f"re: {cmd}\nAnswered"
    assert daemon.exec("/two").head["code"] == "COMMAND_UNSUPPORTED"
    notices = daemon.request("GET", "/status").json()["notices"]
    assert notices == [f"plugin first ({first}): {it}" for it in LEFT_OUT]
    assert [it for it in notices if f"stringd: {it}\n" not in daemon.stderr()] == []


def test_it_is_listed(tmp_path: Path) -> None:
    folder = write_plugins(tmp_path / "plugins")[0].parent
    listed = json.loads(
        run_stringd("--plugins-dir", str(folder), "plugins", "--json", folder=tmp_path).stdout
    )
    report = next(it for it in listed if it["name"] == "first")
    assert report["left_out"] == LEFT_OUT
    assert report["adds"] == [
        "command /one of file topics",
        "command /three of later topics",
        "command /four",
    ]
    assert report["skipped"] is None
    shown = run_stringd("--plugins-dir", str(folder), "plugins", folder=tmp_path).stdout
    assert [it for it in LEFT_OUT if f"\n    {it}\n" not in shown] == []


def test_a_check_fails(tmp_path: Path) -> None:
    first, _ = write_plugins(tmp_path / "plugins")
    checked = run_stringd("check", str(first), folder=tmp_path)
    assert checked.returncode == 1
    assert [it for it in LEFT_OUT if f"\n    {it}\n" not in checked.stdout] == []
    assert checked.stdout.endswith("1 plugin, 1 failing\n")
