"""A plugin that implements a hook of a later one, if it is there, is asked once that one is loaded."""

from __future__ import annotations

import json
from pathlib import Path

from stringd.config import Config
from stringd.extensions.discovery import OWN_DISTRIBUTION, Candidate
from stringd.extensions.plugin_files import PluginFile
from stringd.extensions.registration import load_plugins
from tests.programs import run_stringd

GREETED = """
import sys
from dataclasses import dataclass

from stringd.plugin import Hook, hookimpl, hookspec


@dataclass(frozen=True)
class Greeting:
    name: str


@hookspec
def stringd_greetings():
    \"\"\"Add greetings.\"\"\"


@hookimpl
def stringd_hooks():
    return [Hook(what="greeting", record=Greeting, spec=stringd_greetings)]


sys.modules["z_greeted"] = sys.modules[__name__]
"""
GREETER = """
from stringd.plugin import hookimpl


@hookimpl(optionalhook=True)
def stringd_greetings({parameters}):
    import sys
    {body}
    return [sys.modules["z_greeted"].Greeting(name="hello")] if "z_greeted" in sys.modules else []
"""


def reports(folder: Path, *names: str) -> dict[str, dict[str, object]]:
    files = ",".join(str(folder / f"{it}.py") for it in names)
    ran = run_stringd("--plugins", files, "plugins", "--json", folder=folder)
    assert ran.returncode == 0, ran.stderr
    return {it["name"]: it for it in json.loads(ran.stdout)}


def write(folder: Path, body: str = "pass", parameters: str = "") -> None:
    greeter = GREETER.format(body=body, parameters=parameters)
    (folder / "a_greeter.py").write_text(greeter, encoding="utf-8")
    (folder / "z_greeted.py").write_text(GREETED, encoding="utf-8")


def test_plugin_before_that_of_the_hook_is_asked_late(tmp_path: Path) -> None:
    write(tmp_path)
    found = reports(tmp_path, "a_greeter", "z_greeted")
    assert found["a_greeter"]["adds"] == ["greeting hello"]
    assert found["a_greeter"]["skipped"] is None


def test_plugin_is_loaded_without_that_of_the_hook(tmp_path: Path) -> None:
    write(tmp_path)
    found = reports(tmp_path, "a_greeter")
    assert (found["a_greeter"]["adds"], found["a_greeter"]["skipped"]) == ([], None)


def test_failure_of_a_late_hook_is_reported(tmp_path: Path) -> None:
    write(tmp_path, "raise OSError('no greeting today')")
    found = reports(tmp_path, "a_greeter", "z_greeted")
    assert found["a_greeter"]["skipped"] is None
    left_out = found["a_greeter"]["left_out"]
    assert isinstance(left_out, list)
    assert left_out[0].startswith("stringd_greetings left out: stringd_greetings failed: OSError")
    write(tmp_path, parameters="unknown")
    late = reports(tmp_path, "a_greeter", "z_greeted")["a_greeter"]["left_out"]
    assert "has no parameter unknown" in str(late)


def test_built_in_plugins_claim_names_before_one_for_whose_hook_another_waits(tmp_path: Path) -> None:
    needing = GREETER.replace("optionalhook=True", "").format(parameters="", body="pass")
    for name, source in {"waiting": needing, "own": "", "other": GREETED}.items():
        (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
    candidates = [
        candidate("waiting", tmp_path / "waiting.py"),
        candidate("name", tmp_path / "own.py"),
        candidate("name", tmp_path / "other.py", "z-other", frozenset({"stringd_greetings"})),
    ]
    found = {str(it.candidate): it.skipped for it in load_plugins(Config(), candidates=candidates).reports}
    assert found["name (stringd)"] is None
    assert found["name (z-other)"] == "the name name is taken by name (stringd)"


def candidate(
    name: str, path: Path, distribution: str = OWN_DISTRIBUTION, hooks: frozenset[str] = frozenset()
) -> Candidate:
    """Return a plugin of a file as one of a distribution, in place of those that are installed."""
    return Candidate(
        name=name, distribution=distribution, version="", entry_point=PluginFile(path), hooks=hooks
    )
