"""Third-party commands: for all topics, for document topics, and for named types."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess

UNKNOWN = "COMMAND_UNSUPPORTED"
MANY = """
from stringd.plugin import Command, Reply, hookimpl

async def run(invocation):
    return Reply.confirmation("done")

@hookimpl
def stringd_commands():
    return [
        Command(name=f"word{it}", summary="Say a word " * 20, usage="/word", run=run, group=f"Group {it % 5}")
        for it in range(80)
    ]
"""


@pytest.mark.parametrize(
    ("cmd", "codes"),
    [
        ("//water", {"file": None, "web": None, "app": None, "plot": None}),
        ("//press", {"file": None, "web": None, "app": None, "plot": UNKNOWN}),
        ("//rake leaves", {"file": None, "web": None, "app": UNKNOWN, "plot": UNKNOWN}),
    ],
)
def test_command_is_available_in_declared_topic_types(
    cmd: str, codes: dict[str, str | None], garden: DaemonProcess
) -> None:
    assert {name: garden.exec(cmd, f"{name}:main").head["code"] for name in codes} == codes


def test_command_is_reachable_from_string_and_help(string: Callable[..., str]) -> None:
    assert string("file:main", "/water") == "Watered file:main\n"
    assert string("file:main", "/rake  two  leaves") == "exit: 0\n---\nraked two  leaves\n"
    assert string("file:main", "/help rake") == "String Commands\n---\n/rake leaves\n\nRake the leaves.\n"


def test_body_is_passed_only_to_commands_that_accept_one(garden: DaemonProcess) -> None:
    assert garden.exec("/press\na rose\n  and a  leaf").content == (
        "re: /press\nPressed\n---\na rose\n  and a  leaf"
    )
    refused = garden.exec("/water\na rose")
    assert refused.head["code"] == "INVALID_PAYLOAD"
    assert "Watered" not in refused.content


def test_command_is_reachable_through_chanflow(garden: DaemonProcess) -> None:
    text = "<𝒞=string:file:main>\n/water\n</𝒞>"
    reply = garden.request("POST", "/chanflow", text, {"X-User-Id": "default"})
    assert (reply.status, "Watered file:main" in reply.text) == (200, True), reply.text


@pytest.mark.requirement("help.groups")
def test_commands_without_a_group_are_listed_last(garden: DaemonProcess) -> None:
    listing = garden.exec("/help").content
    others = listing.partition("\nOthers:\n")[2].partition("\n\n")[0].splitlines()
    assert [it.split()[0] for it in others] == ["/leaf", "/press", "/rake", "/water"]
    assert "Plugins: " in listing


@pytest.mark.requirement("help.bounded")
def test_help_is_bounded_however_many_commands_there_are(
    start_daemon: Callable[..., DaemonProcess], tmp_path: Path
) -> None:
    plugin = tmp_path / "many.py"
    plugin.write_text(MANY, encoding="utf-8")
    daemon = start_daemon("--plugins", f"commands,file,{plugin}")
    daemon.register("default", daemon.home)
    listing = daemon.exec("/help").content
    assert len(listing) < 2000
    assert "/word0" in listing
