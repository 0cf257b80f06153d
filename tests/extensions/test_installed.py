"""`stringd plugins`, `--plugins`, `--without` and `STRINGD_PLUGINS` with installed distributions."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from stringd import __version__
from stringd.testing.process import DaemonProcess
from tests.extensions.conftest import StartGarden
from tests.extensions.installation import Installation, SourceTree

GARDEN = [
    "garden-cli",
    "garden-commands",
    "garden-documents",
    "garden-interceptors",
    "garden-observers",
    "garden-routes",
    "garden-services",
    "garden-topics",
]
WILTED = "import failed: ModuleNotFoundError: No module named 'a_soil_that_nobody_has'"
WEED = f"topic type file of weed (stringd-weed 2.0) is already added by file (stringd {__version__})"


def plugins(
    tree: Installation | SourceTree, cwd: Path, *options: str, **env: str
) -> dict[str, dict[str, Any]]:
    """What `stringd plugins --json` says, by name."""
    finished = tree.run("stringd", *options, "plugins", "--json", cwd=cwd, env=env)
    assert finished.returncode == 0, finished.stderr
    assert finished.stderr == ""
    return {report["name"]: report for report in json.loads(finished.stdout)}


def without_line(text: str) -> str:
    """The text without the file and line of the plugin that can't be imported."""
    return re.sub(r" \(/\S+/garden_wilted\.py:\d+\)", "", text)


def built_in(reports: dict[str, dict[str, Any]]) -> set[str]:
    return {name for name, report in reports.items() if report["distribution"] == "stringd"}


@pytest.mark.long
def test_installed_stringd_runs_instead_of_the_source_tree(
    installation: Installation, tmp_path: Path
) -> None:
    where = installation.run("python", "-c", "import stringd; print(stringd.__file__)", cwd=tmp_path)
    assert Path(where.stdout.strip()).is_relative_to(installation.programs.parent)


@pytest.mark.long
def test_installed_distributions_are_those_of_the_source_tree(
    installation: Installation, source_tree: SourceTree, tmp_path: Path
) -> None:
    installed, found = plugins(installation, tmp_path), plugins(source_tree, tmp_path)
    for report in (*installed.values(), *found.values()):
        report["skipped"] = without_line(report["skipped"] or "")
    assert installed == found


def test_plugins_are_listed_with_distribution_and_additions(source_tree: SourceTree, tmp_path: Path) -> None:
    reports = plugins(source_tree, tmp_path)
    assert [name for name, it in reports.items() if it["distribution"] == "stringd-garden"] == GARDEN
    assert {reports[name]["version"] for name in GARDEN} == {"1.2.3"}
    assert {name: reports[name]["adds"] for name in GARDEN} == {
        "garden-cli": ["subcommand hello"],
        "garden-commands": [
            "command /water",
            "command /press",
            "command /rake of file topics",
            "command /rake of web topics",
        ],
        "garden-documents": ["command /leaf", "scheme seed", "media type text/x-seed"],
        "garden-interceptors": ["interceptor fence", "interceptor gardener"],
        "garden-observers": ["observer crow", "observer mole", "observer diary"],
        "garden-routes": [
            "route /garden",
            "route /garden/collapse",
            "route /garden/run/{topic}",
            "route /garden/shed",
            "route /garden/live/{topic}",
        ],
        "garden-services": ["service sprinkler"],
        "garden-topics": ["topic type plot", "command /harvest of plot topics"],
    }


def test_a_skipped_plugin_is_listed_with_the_reason(source_tree: SourceTree, tmp_path: Path) -> None:
    reports = plugins(source_tree, tmp_path)
    assert {name: without_line(it["skipped"]) for name, it in reports.items() if it["skipped"]} == {
        "weed": WEED,
        "wilted": WILTED,
    }
    assert "garden_wilted.py:" in reports["wilted"]["skipped"]


def test_text_listing_matches_json(source_tree: SourceTree, tmp_path: Path) -> None:
    listed = source_tree.run("stringd", "plugins", cwd=tmp_path).stdout
    assert "garden-cli (stringd-garden 1.2.3)\n    adds: subcommand hello\n" in listed
    assert f"wilted (stringd-wilted 0.9)\n    skipped: {WILTED}\n" in without_line(listed)
    assert f"weed (stringd-weed 2.0)\n    skipped: {WEED}\n" in listed


def test_daemon_reports_skipped_plugins_and_runs(
    own_garden: DaemonProcess, source_tree: SourceTree, tmp_path: Path
) -> None:
    notices = [
        f"plugin weed (stringd-weed 2.0) skipped: {WEED}",
        f"plugin wilted (stringd-wilted 0.9) skipped: {WILTED}",
    ]
    before, _, _ = own_garden.stderr().partition("stringd listening on")
    assert without_line(before).splitlines() == [f"stringd: {notice}" for notice in notices]
    assert [without_line(it) for it in own_garden.request("GET", "/status").json()["notices"]] == notices
    told = source_tree.run("stringd", "--port", str(own_garden.port), "status", cwd=tmp_path)
    lines = without_line(told.stdout).splitlines()
    assert [line for line in lines if line.startswith("notice: ")] == [
        f"notice: {notice}" for notice in notices
    ]
    assert "garden-topics (stringd-garden 1.2.3)" in told.stdout
    assert own_garden.exec("/info").head["ok"]


def test_clashing_plugin_adds_nothing(garden: DaemonProcess) -> None:
    assert garden.exec("/spread").head["code"] == "COMMAND_UNSUPPORTED"


def test_plugins_option_selects_built_ins_and_named_plugins(source_tree: SourceTree, tmp_path: Path) -> None:
    everything = built_in(plugins(source_tree, tmp_path))
    chosen = plugins(source_tree, tmp_path, "--plugins", "garden-topics,garden-cli")
    assert chosen.keys() == everything | {"garden-topics", "garden-cli"}
    assert {"file", "web", "app", "bash", "commands", "cli"} <= everything


def test_variable_selects_like_the_option(source_tree: SourceTree, tmp_path: Path) -> None:
    chosen = plugins(source_tree, tmp_path, STRINGD_PLUGINS="garden-topics")
    assert chosen.keys() - built_in(chosen) == {"garden-topics"}


def test_the_option_wins_over_the_variable(source_tree: SourceTree, tmp_path: Path) -> None:
    chosen = plugins(source_tree, tmp_path, "--plugins", "garden-cli", STRINGD_PLUGINS="wilted")
    assert chosen.keys() - built_in(chosen) == {"garden-cli"}


def test_empty_selection_keeps_the_built_ins(source_tree: SourceTree, tmp_path: Path) -> None:
    chosen = plugins(source_tree, tmp_path, "--plugins", "")
    assert chosen.keys() == built_in(chosen)


def test_without_excludes_any_plugin(start_garden: StartGarden) -> None:
    daemon = start_garden("--without", "bash,garden-commands,wilted")
    daemon.register("default", daemon.home)
    status = daemon.request("GET", "/status").json()
    names = {plugin.partition(" ")[0] for plugin in status["plugins"]}
    assert names.isdisjoint({"bash", "garden-commands"})
    assert {"file", "garden-topics"} <= names
    assert [notice for notice in status["notices"] if "wilted" in notice] == []
    assert daemon.exec("/water").head["code"] == "COMMAND_UNSUPPORTED"
    refused = daemon.request("POST", "/sessions", {"user_id": "default", "topic": "bash:main"})
    assert (refused.status, refused.json()) == (400, {"error": "Invalid topic: bash:main"})


@pytest.mark.parametrize(("name", "reason"), [("wilted", WILTED), ("weed", WEED)])
@pytest.mark.parametrize("how", ["option", "variable"])
def test_named_plugin_that_fails_to_load_is_fatal(
    name: str, reason: str, how: str, source_tree: SourceTree, tmp_path: Path
) -> None:
    options = ["--plugins", name] if how == "option" else []
    env = {} if how == "option" else {"STRINGD_PLUGINS": name}
    finished = source_tree.run("stringd", *options, "--port", "0", cwd=tmp_path, env=env)
    assert finished.returncode == 1
    assert without_line(finished.stderr).endswith(f") can't be loaded: {reason}\n")
    assert len(finished.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "env"),
    [
        (["--plugins", "garden-cli,ivy"], {}),
        (["--without", "ivy"], {}),
        ([], {"STRINGD_PLUGINS": "ivy"}),
    ],
    ids=["--plugins", "--without", "STRINGD_PLUGINS"],
)
def test_unknown_plugin_is_a_usage_error(
    options: list[str], env: dict[str, str], source_tree: SourceTree, tmp_path: Path
) -> None:
    names = sorted(plugins(source_tree, tmp_path))
    finished = source_tree.run("stringd", *options, cwd=tmp_path, env=env)
    assert finished.returncode == 2
    assert finished.stderr == f"stringd: unknown plugin: ivy (installed: {', '.join(names)})\n"
