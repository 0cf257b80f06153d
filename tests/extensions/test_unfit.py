"""Invalid plugins are skipped and reported, do not affect others, and are fatal if named."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stringd.testing.distributions import write_distribution
from stringd.testing.process import DaemonProcess
from tests.extensions.broken import BAD_RECORDS, FAILING
from tests.extensions.clashes import CLASHES, HOLDS
from tests.extensions.unfit import PRELUDE, Unfit
from tests.programs import run_stringd

UNFIT = [*FAILING, *BAD_RECORDS, *CLASHES]
IDS = [it.name for it in UNFIT]
GROUP = "stringd.plugins"
INNOCENT = "from stringd.plugin import hookimpl\n@hookimpl\ndef stringd_commands(): return []\n"


def offer(folder: Path, distribution: str, plugin: str, source: str) -> Path:
    """A distribution with one plugin, in a folder of its own."""
    module = distribution.replace("-", "_")
    entry_points = {GROUP: {plugin: module}}
    return write_distribution(folder / distribution, distribution, "1.0", entry_points, {module: source})


@pytest.fixture(scope="module")
def pythonpath(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Every unfit plugin beside one that holds names, and a good one that comes last of all."""
    folder = tmp_path_factory.mktemp("unfit")
    return [
        offer(folder, "a-holder", "aaa-holder", HOLDS),
        *(offer(folder, f"z-{it.name}", it.name, it.source.replace("NAME", it.name)) for it in UNFIT),
        offer(folder, "zz-namesake", "file", INNOCENT),
        offer(folder, "zzz-last", "last", INNOCENT),
    ]


def stringd(pythonpath: list[Path], cwd: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Run `stringd` to its end with these distributions installed."""
    return run_stringd(*args, folder=cwd, env={"PYTHONPATH": os.pathsep.join(map(str, pythonpath))})


@pytest.fixture(scope="module")
def reports(pythonpath: list[Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What `stringd plugins --json` says, by distribution."""
    finished = stringd(pythonpath, tmp_path_factory.mktemp("reports"), "plugins", "--json")
    assert (finished.returncode, finished.stderr) == (0, "")
    return {it["distribution"]: it for it in json.loads(finished.stdout)}


@pytest.mark.parametrize("unfit", UNFIT, ids=IDS)
def test_invalid_plugin_is_skipped_with_the_reason(unfit: Unfit, reports: dict[str, dict[str, Any]]) -> None:
    report = reports[f"z-{unfit.name}"]
    assert unfit.reason in report["skipped"]
    assert report["adds"] == []


@pytest.mark.long
@pytest.mark.parametrize("unfit", UNFIT, ids=IDS)
def test_invalid_plugin_is_fatal_if_named(unfit: Unfit, pythonpath: list[Path], tmp_path: Path) -> None:
    needed = "aaa-holder," if "aaa-holder" in unfit.reason else ""
    finished = stringd(pythonpath, tmp_path, "--port", "0", "--plugins", f"{needed}{unfit.name}")
    assert finished.returncode == 1
    assert finished.stderr.startswith(f"stringd: plugin {unfit.name} (z-{unfit.name} 1.0) can't be loaded: ")
    assert unfit.reason in finished.stderr
    assert len(finished.stderr.splitlines()) == 1


def test_a_hook_that_raises_is_reported_with_its_line(reports: dict[str, dict[str, Any]]) -> None:
    lines = next(it for it in UNFIT if it.name == "hook-raises").source.splitlines()
    line = 1 + next(number for number, text in enumerate(lines) if "not today" in text)
    assert reports["z-hook-raises"]["skipped"].endswith(f"/z_hook_raises.py:{line})")
    # A record is refused by a check of stringd's; the line is the plugin's own all the same.
    assert re.search(r"/z_upper_case\.py:\d+\)$", reports["z-upper-case"]["skipped"])
    assert re.search(r"/z_misspelt\.py:2\)$", reports["z-misspelt"]["skipped"])


def test_plugin_names_are_unique(reports: dict[str, dict[str, Any]]) -> None:
    assert reports["zz-namesake"]["skipped"].startswith("the name file is taken by file (stringd ")


def test_valid_plugins_around_it_are_loaded(reports: dict[str, dict[str, Any]]) -> None:
    assert [name for name in ("stringd", "a-holder", "zzz-last") if reports[name]["skipped"]] == []


def test_daemon_runs_despite_invalid_plugins(
    start_daemon: Callable[..., DaemonProcess], pythonpath: list[Path]
) -> None:
    daemon = start_daemon(pythonpath=pythonpath)
    daemon.register("default", daemon.home)
    notices = daemon.request("GET", "/status").json()["notices"]
    assert {notice.partition(" ")[2].partition(" ")[0] for notice in notices} == {*IDS, "file"}
    assert [notice for notice in notices if f"stringd: {notice}\n" not in daemon.stderr()] == []
    assert "Traceback" not in daemon.stderr()
    assert daemon.exec("/held").content == "re: /held\nAnswered"
    assert daemon.exec("/info", "held:main").content == "re: /info\nAnswered"
    assert "good-" not in daemon.exec("/help").content
    assert daemon.request("GET", "/held").text == "held"


def test_distribution_without_a_name_is_reported(tmp_path: Path) -> None:
    metadata = tmp_path / "ghost-1.0.dist-info"
    metadata.mkdir()
    (metadata / "entry_points.txt").write_text(f"[{GROUP}]\nghost = nothing_here\n", encoding="utf-8")
    finished = stringd([tmp_path], tmp_path, "plugins")
    assert finished.returncode == 0
    assert "ghost (unknown unknown)\n    skipped: import failed: ModuleNotFoundError" in finished.stdout


def test_first_distribution_by_name_wins_a_clash(tmp_path: Path) -> None:
    source = (
        f"{PRELUDE}\n@hookimpl\ndef stringd_interceptors():\n"
        "    return [Interceptor(name='same', run=around)]\n"
    )
    second, first = (offer(tmp_path, name, f"plugin-{name}", source) for name in ("b-second", "a-first"))
    listed = stringd([second, first], tmp_path, "plugins").stdout
    assert "plugin-a-first (a-first 1.0)\n    adds: interceptor same\n" in listed
    assert (
        "plugin-b-second (b-second 1.0)\n    skipped: interceptor same of plugin-b-second (b-second 1.0) "
        "is already added by plugin-a-first (a-first 1.0)\n"
    ) in listed


def test_failing_subcommand_does_not_affect_others(tmp_path: Path) -> None:
    source = (
        f"{PRELUDE}\ndef spoil(parser): raise RuntimeError('spoilt')\n@hookimpl\ndef stringd_cli():\n"
        "    return [CliCommand(name='spoilt', summary='Spoilt.', configure=spoil, run=main)]\n"
    )
    pythonpath = [offer(tmp_path, "a-spoiler", "spoiler", source)]
    assert "adds: subcommand spoilt\n" in stringd(pythonpath, tmp_path, "plugins").stdout
    assert stringd(pythonpath, tmp_path, "--help").returncode == 0
    assert stringd(pythonpath, tmp_path, "spoilt").returncode == 1
