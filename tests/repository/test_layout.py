"""The source tree is laid out as pyproject.toml and CONTRIBUTING.md say."""

from __future__ import annotations

import re
from pathlib import Path

import stringd
from tests.repository.tree import ROOT, files, settings, sources

LONGEST_MODULE = 300
OF_THE_ROOT = re.compile(r"^\s*(?:from stringd import|import stringd(?:,|\s|$))", re.MULTILINE)
ROOTS = {
    path.relative_to(ROOT).as_posix()
    for path in [ROOT / "core", *(ROOT / "plugins").iterdir()]
    if path.is_dir()
}
EXAMPLES = {path.parent.relative_to(ROOT).as_posix() for path in (ROOT / "examples").glob("*/pyproject.toml")}
PACKAGES = {
    path.parent.relative_to(ROOT).as_posix() for root in ROOTS for path in (ROOT / root).glob("*/__init__.py")
}


def test_the_wheel_ships_every_package() -> None:
    assert set(settings()["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]) == PACKAGES


def test_every_tool_covers_every_root() -> None:
    tools = settings()["tool"]
    assert set(tools["mypy"]["mypy_path"]) == ROOTS | EXAMPLES
    assert set(tools["ruff"]["src"]) >= ROOTS
    assert set(tools["importlinter"]["root_packages"]) == {Path(package).name for package in PACKAGES}


def test_the_contracts_cover_every_plugin() -> None:
    plugins = {Path(package).name for package in PACKAGES} - {"stringd"}
    contracts = {it["name"]: it for it in settings()["tool"]["importlinter"]["contracts"]}
    assert set(contracts["the core knows no plugin"]["forbidden_modules"]) == plugins
    assert set(contracts["plugins do not know each other"]["modules"]) == plugins


def test_plugins_may_import_nothing_of_the_core_but_its_door() -> None:
    contracts = {it["name"]: it for it in settings()["tool"]["importlinter"]["contracts"]}
    protected = contracts["plugins import nothing of the core but stringd.plugin"]["protected_modules"]
    core = ROOT / "core" / "stringd"
    modules = {it.relative_to(core).parts[0].removesuffix(".py") for it in sources() if core in it.parents}
    assert {it.removeprefix("stringd.") for it in protected} == modules - {"__init__", "plugin"}


def test_plugins_import_nothing_of_the_root_of_the_core() -> None:
    """Contracts are about modules, and the package itself is none that plugins may not import."""
    plugins = (it for it in sources() if it.relative_to(ROOT).parts[0] == "plugins")
    assert [it.name for it in plugins if OF_THE_ROOT.search(it.read_text(encoding="utf-8"))] == []


def test_modules_are_short_and_have_docstrings() -> None:
    texts = {str(it.relative_to(ROOT)): it.read_text(encoding="utf-8") for it in sources()}
    long = [name for name, text in texts.items() if len(text.splitlines()) > LONGEST_MODULE]
    silent = [name for name, text in texts.items() if not text.startswith(('"""', 'r"""'))]
    assert (long, silent) == ([], [])


def test_one_module_reads_proc_and_one_parses_media_types() -> None:
    """Others name a file that is open, or run where the one module can't be used, and say so."""
    found = {
        (path.stem, text)
        for path in sources()
        for text in re.findall(r"""["'](/proc/[^"']+)["']|partition\(["'];["']\)""", path.read_text("utf-8"))
    }
    assert found == {
        ("media_types", ""),
        ("network_namespace", "/proc/self/gid_map"),
        ("network_namespace", "/proc/self/setgroups"),
        ("network_namespace", "/proc/self/uid_map"),
        ("approval", "/proc/self/fd/{folder}/{target.name}"),
        ("pipe_holders", "/proc/{pid}/fd"),
        ("real_path", "/proc/self/fd"),
        ("socket_binding", "/proc/self/fd/1234567/"),
        ("socket_binding", "/proc/self/fd/{folder}/{path.name}"),
        ("stage_terminal", "/proc/self/status"),
        ("worker_program", "/proc/self/statm"),
    }


def test_the_changelog_begins_with_this_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    first = re.search(r"^## \[?([0-9][^\] ]*)", changelog, re.MULTILINE)
    assert first
    assert first[1] == stringd.__version__


def test_makefile_targets_are_documented() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    declared = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    assert declared
    explained = set(re.findall(r"^([a-z]+):.*##", makefile, re.MULTILINE))
    assert explained == set(declared[1].split())
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert [name for name in explained if name != "help" and f"`make {name}`" not in contributing] == []


def test_scripts_are_executable() -> None:
    scripts = [path for path in files(ROOT / ".ci") if path.read_bytes().startswith(b"#!")]
    assert ROOT / ".ci" / "run" in scripts
    assert all(path.stat().st_mode & 0o111 for path in scripts)


def test_the_architecture_says_what_is_in_every_room() -> None:
    page = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
    rooms, _, others = page.partition("## The rooms of the core")[2].partition("## Where to look")
    described = rooms + others.partition("\n## Runs")[2].partition("\n## ")[0]
    packages = {path.parent.relative_to(ROOT) for path in sources() if path.name == "__init__.py"}
    found = sorted(it for it in packages if it.as_posix() not in PACKAGES and "scaffolds" not in it.parts)
    assert [str(it) for it in found if not re.search(rf"`{it.name}/?`", described)] == []
