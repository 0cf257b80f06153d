"""`stringd new`: what it begins can be installed, has no flaws, and passes its own tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.extensions.installation import Installation

pytestmark = pytest.mark.timeout(240)


@pytest.mark.parametrize(("kind", "name"), [("app", "low-tide"), ("topic-type", "diary")])
def test_what_it_begins_works(kind: str, name: str, published: Installation, tmp_path: Path) -> None:
    made = published.run("stringd", "new", kind, name, cwd=tmp_path)
    folder, module = tmp_path / f"stringd-{name}", f"stringd_{name.replace('-', '_')}"
    assert made.returncode == 0, made.stderr
    assert made.stdout.splitlines()[-1] == f"Next: read stringd-{name}/README.md"
    assert [it for it in folder.rglob("*") if "@" in it.name] == []
    if kind == "app":
        checked = published.run("stringd", "check", str(folder / module), cwd=tmp_path)
        assert checked.stdout == "2 files, 0 warnings\n"
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


def test_what_it_begins_is_an_app_before_it_is_installed(
    published: Installation, start_published: Callable[..., DaemonProcess]
) -> None:
    daemon = start_published("--plugins", "")
    published.run("stringd", "new", "app", "draft", cwd=daemon.home)
    assert daemon.exec("/install stringd-draft/stringd_draft").head["ok"]
    assert daemon.exec("/act.count 'a b'", "app:draft").content.endswith("\nWords: 2")


@pytest.mark.parametrize("name", ["Upper", "a/b", "..", "1st", "a_b", "a--b", ""])
def test_a_name_that_does_not_do_is_misuse(name: str, published: Installation, tmp_path: Path) -> None:
    refused = published.run("stringd", "new", "app", name, cwd=tmp_path)
    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_stays(published: Installation, tmp_path: Path) -> None:
    (tmp_path / "stringd-mine").mkdir()
    refused = published.run("stringd", "new", "app", "mine", cwd=tmp_path)
    assert (refused.returncode, refused.stderr) == (1, "stringd: stringd-mine is there already\n")
    assert list((tmp_path / "stringd-mine").iterdir()) == []
