"""`stringd new`: the generated distributions can be installed, have no flaws, and pass their own tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.extensions.installation import Installation

pytestmark = [pytest.mark.long, pytest.mark.timeout(240)]


BEGUN = [("app", "low-tide"), ("plugin", "word-count"), ("topic-type", "diary")]


@pytest.mark.parametrize(("kind", "name"), BEGUN)
def test_generated_project_works(kind: str, name: str, published: Installation, tmp_path: Path) -> None:
    made = published.run("stringd", "new", kind, name, cwd=tmp_path)
    folder, module = tmp_path / f"stringd-{name}", f"stringd_{name.replace('-', '_')}"
    assert made.returncode == 0, made.stderr
    assert made.stdout.splitlines()[-1] == f"Next: read stringd-{name}/README.md"
    assert [it for it in folder.rglob("*") if "@" in it.name] == []
    if kind == "app":
        checked = published.run("stringd", "check", str(folder / module), cwd=tmp_path)
        assert checked.stdout == "2 files, 0 warnings\n"
    if kind == "plugin":
        checked = published.run("stringd", "check", str(folder), cwd=tmp_path)
        adds = "    adds command /word-count\n1 plugin, 0 failing\n"
        assert checked.stdout == f"word-count (stringd-word-count 0.1.0)\n{adds}"
    published.install(folder)
    tested = published.run(
        "python",
        "-m",
        "pytest",
        "-q",
        "-c",
        "pyproject.toml",
        cwd=folder,
        env={"PYTHONPATH": ""},
        patience=200,
    )
    assert tested.returncode == 0, tested.stdout


def test_generated_app_works_before_installation(
    published: Installation, start_published: Callable[..., DaemonProcess]
) -> None:
    daemon = start_published("--plugins", "")
    published.run("stringd", "new", "app", "draft", cwd=daemon.home)
    assert daemon.exec("/install stringd-draft/stringd_draft").head["ok"]
    assert daemon.exec("/act.count 'a b'", "app:draft").content.endswith("\nWords: 2")


@pytest.mark.parametrize("name", ["Upper", "a/b", "..", "1st", "a_b", "a--b", ""])
def test_invalid_name_is_a_usage_error(name: str, published: Installation, tmp_path: Path) -> None:
    refused = published.run("stringd", "new", "app", name, cwd=tmp_path)
    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "holder"),
    [("web", "web (stringd "), ("commands", "commands (stringd "), ("weather", "weather (stringd-weather ")],
)
@pytest.mark.parametrize("kind", ["app", "plugin", "topic-type"])
def test_name_of_a_plugin_is_refused(
    kind: str, name: str, holder: str, published: Installation, tmp_path: Path
) -> None:
    refused = published.run("stringd", "new", kind, name, cwd=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"stringd: the name {name} is taken by the plugin {holder}")
    assert list(tmp_path.iterdir()) == []


def test_existing_directory_is_refused(published: Installation, tmp_path: Path) -> None:
    (tmp_path / "stringd-mine").mkdir()
    refused = published.run("stringd", "new", "app", "mine", cwd=tmp_path)
    assert (refused.returncode, refused.stderr) == (1, "stringd: stringd-mine already exists\n")
    assert list((tmp_path / "stringd-mine").iterdir()) == []
