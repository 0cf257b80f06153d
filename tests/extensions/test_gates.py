"""A stranger's gates: they refuse a command, or hold it for a while."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from stringd.testing.process import DaemonProcess
from tests.protocol.waits import running


@pytest.mark.parametrize(
    ("cmd", "answer"),
    [
        ("/press\nforbidden fruit", "ERROR(FENCED): The fence is closed.\nAsk the gardener."),
        ("/rake and trespass", "ERROR(TRESPASS): Nobody climbs the fence."),
    ],
    ids=["replies", "raises"],
)
def test_a_gate_answers_in_a_command_s_place(cmd: str, answer: str, garden: DaemonProcess) -> None:
    refused = garden.exec(cmd)
    assert refused.content.partition("\n")[2] == answer
    assert refused.head["ok"] is False


def test_a_command_behind_a_gate_is_not_run(garden: DaemonProcess) -> None:
    garden.exec("carrot", "plot:north")
    assert garden.exec("forbidden fruit", "plot:north").head["code"] == "FENCED"
    assert garden.exec("//harvest", "plot:north").content.endswith("\n---\ncarrot")


def test_a_gate_stands_before_every_way_in(garden: DaemonProcess, string: Callable[..., str]) -> None:
    route = garden.request("POST", "/garden/run/file:main", "/exec echo forbidden")
    assert route.json()["code"] == "FENCED"
    block = "<𝒞=string:file:main>\n/exec echo forbidden\n</𝒞>"
    assert "✗ FENCED: " in garden.request("POST", "/chanflow", block, {"X-User-Id": "default"}).text
    assert string("file:main", "/exec echo forbidden").startswith("ERROR(FENCED)")


def test_a_gate_holds_a_command_and_no_other_topic(garden: DaemonProcess) -> None:
    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(partial(garden.exec, "/rake slowly", "web:slow"))
        running(garden, "web:slow")
        assert garden.exec("/rake fast", "web:quick").head["ok"]
        assert not held.done()
        assert garden.exec("/rake and go on", "web:quick").head["ok"]
        assert held.result(10).content.endswith("raked slowly")
