"""Hooks defined by plugins, which others implement regardless of the loading order."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.extensions.test_unfit import offer
from tests.programs import run_stringd

ZOO = """
from dataclasses import dataclass
from stringd.plugin import *

@dataclass(frozen=True, slots=True, kw_only=True)
class Animal:
    name: str
    legs: int

@hookspec
def stringd_animals(): return ()

@hookimpl
def stringd_hooks():
    return [Hook(what="animal", record=Animal, spec=stringd_animals, reserved=frozenset({"dodo"}))]

async def count(invocation):
    animals = invocation.runtime.added(Animal)
    return Reply.confirmation(", ".join(f"{it.name} {it.legs}" for it in animals))

@hookimpl
def stringd_commands(): return [Command(name="legs", summary="Count.", usage="/legs", run=count)]
"""
ANIMAL = """
from stringd.plugin import hookimpl
@hookimpl
def stringd_animals():
    from zoo import Animal
    return [{records}]
"""


def plugins(pythonpath: list[Path], tmp_path: Path) -> dict[str, dict[str, object]]:
    """What `stringd plugins --json` says, by name."""
    env = {"PYTHONPATH": os.pathsep.join(map(str, pythonpath))}
    listed = run_stringd("plugins", "--json", folder=tmp_path, env=env)
    return {report["name"]: report for report in json.loads(listed.stdout)}


def test_hook_of_a_plugin_may_be_implemented_by_an_earlier_one(
    tmp_path: Path, start_daemon: Callable[..., DaemonProcess]
) -> None:
    ant = ANIMAL.format(records="Animal(name='ant', legs=6)")
    bee = ANIMAL.format(records="Animal(name='bee', legs=6)")
    pythonpath = [offer(tmp_path, "zoo", "zoo", ZOO), offer(tmp_path, "ant", "ant", ant)]
    pythonpath.append(offer(tmp_path, "zzz-bee", "bee", bee))
    reports = plugins(pythonpath, tmp_path)
    assert reports["zoo"]["adds"] == ["command /legs", "hook stringd_animals", "animal dodo"]
    assert (reports["ant"]["adds"], reports["bee"]["adds"]) == (["animal ant"], ["animal bee"])
    daemon = start_daemon(pythonpath=pythonpath)
    daemon.register()
    assert daemon.exec("/legs").content == "re: /legs\nbee 6, ant 6"


@pytest.mark.parametrize(
    ("records", "reason"),
    [
        ("Animal(name='cow', legs=4)", "animal cow of ant (ant 1.0) is already added by cow (a-cow 1.0)"),
        ("Animal(name='dodo', legs=2)", "animal dodo of ant (ant 1.0) is already added by zoo (zoo 1.0)"),
        ("'cow'", "stringd_animals returned 'cow' instead of Animal"),
        ("Animal(name='x')", "stringd_animals failed: TypeError: "),
    ],
)
def test_invalid_record_skips_its_plugin(records: str, reason: str, tmp_path: Path) -> None:
    cow = ANIMAL.format(records="Animal(name='cow', legs=4)")
    pythonpath = [offer(tmp_path, "a-cow", "cow", cow), offer(tmp_path, "zoo", "zoo", ZOO)]
    pythonpath.append(offer(tmp_path, "ant", "ant", ANIMAL.format(records=records)))
    reports = plugins(pythonpath, tmp_path)
    assert str(reports["ant"]["skipped"]).startswith(reason)
    assert reports["cow"]["adds"] == ["animal cow"]


@pytest.mark.parametrize(
    ("wrong", "right", "reason"),
    [
        ("def stringd_animals(", "def animals(", "ValueError: hook of animal needs a hookspec"),
        ("@hookspec\n", "", "ValueError: hook of animal needs a hookspec"),
        ("stringd_animals()", "stringd_animals(moon)", "ValueError: stringd_animals can't be given moon"),
        ("record=Animal", "record=str", "TypeError: hook of animal needs a dataclass or struct with a name"),
    ],
)
def test_invalid_hook_skips_its_plugin(wrong: str, right: str, reason: str, tmp_path: Path) -> None:
    source = ZOO.replace(wrong, right)
    source = source.replace("spec=stringd_animals", "spec=animals") if "def animals" in right else source
    reports = plugins([offer(tmp_path, "zoo", "zoo", source)], tmp_path)
    assert str(reports["zoo"]["skipped"]).startswith(f"stringd_hooks failed: {reason}")
