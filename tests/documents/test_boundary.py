"""Every command that takes a path is restricted to the home and the allowed paths, unless access is full."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess

Start = Callable[..., DaemonProcess]
COMMANDS = [
    "/open {}",
    "/ls {}",
    "/write {}\nnew",
    "/append {}\nnew",
    "/edit {}",
    "/edit {}\nnew",
    "/replace {}:L1\nnew",
    "/replace {}\nsecret\n---\nnew",
    "/replace {}#block\nnew",
    "/verify {}#block",
]
KNOWN_FILE_ANSWERS = {"/ls {}": "INVALID_TARGET", "/replace {}\nsecret\n---\nnew": "CONFLICT"}
WAYS = [
    "{outside}/{name}",
    "file://{outside}/{name}",
    "../outside/{name}",
    "~/../outside/{name}",
    "out/{name}",
    "chain/{name}",
    "docs/../out/{name}",
    "/proc/self/root{outside}/{name}",
    "link-to-{name}",
]
NAMES = ["secret.md", "nothing.md"]
SECRET = b"secret\n<!-- #block -->\nsecret\n<!-- /block -->\n"


@pytest.fixture
def outside(daemon: DaemonProcess) -> Path:
    """A directory beside the home, and links in the home that lead to it."""
    return prepare(daemon.home)


def prepare(home: Path) -> Path:
    outside = home.parent / "outside"
    outside.mkdir()
    (outside / "secret.md").write_bytes(SECRET)
    (home / "docs").mkdir(parents=True)
    (home / "out").symlink_to(outside)
    (home / "chain").symlink_to("out")
    for name in NAMES:
        (home / f"link-to-{name}").symlink_to(outside / name)
    return outside


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def refusals(daemon: DaemonProcess, command: str, outside: Path, name: str) -> Iterator[tuple[str, str]]:
    """What each way to the name is answered, with the name left out."""
    for way in WAYS:
        answer = daemon.exec(command.format(way.format(outside=outside, name=name)))
        yield str(answer.head["code"]), answer.content.replace(name, "NAME")


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_cannot_leave_or_probe_outside_the_home(
    daemon: DaemonProcess, outside: Path, command: str
) -> None:
    there = list(refusals(daemon, command, outside, "secret.md"))
    assert there == list(refusals(daemon, command, outside, "nothing.md"))
    assert {code for code, _ in there} == {"FILE_NOT_ALLOWED"}
    assert contents(outside) == {"secret.md": SECRET}


@pytest.mark.parametrize("command", ["/undo", "/refresh", "/source", "/open #block", "/replace :L1\nnew"])
def test_directory_swapped_for_a_symlink_is_not_followed(
    daemon: DaemonProcess, outside: Path, command: str
) -> None:
    """The directory of the current and the edited document becomes a link to a directory outside."""
    daemon.exec("/write docs/secret.md\ntext")
    daemon.exec("/open docs/secret.md")
    (daemon.home / "docs").rename(daemon.home / "moved")
    (daemon.home / "docs").symlink_to(outside)
    answer = daemon.exec(command)
    assert answer.head["code"] == "FILE_NOT_ALLOWED"
    assert contents(outside) == {"secret.md": SECRET}


@pytest.mark.parametrize("target", ["{outside}/{name}", "../outside/{name}", "out/{name}"])
@pytest.mark.parametrize("kind", ["include", "nav"])
def test_documents_cannot_include_from_outside(
    daemon: DaemonProcess, outside: Path, kind: str, target: str
) -> None:
    shown = []
    for name in NAMES:
        text = f"# Page\n\n[!{kind}:part]({target.format(outside=outside, name=name)})\n"
        (daemon.home / "page.md").write_text(text, encoding="utf-8")
        answers = [daemon.exec(command) for command in ("/open page.md", "/info", "/nav")]
        assert all(answer.head["ok"] for answer in answers)
        shown.append("".join(answer.content for answer in answers).replace(name, "NAME"))
    assert shown[0] == shown[1]
    assert "Outside the allowed paths" in shown[0]


@pytest.mark.usefixtures("outside")
def test_shortcuts_cannot_lead_outside(daemon: DaemonProcess) -> None:
    text = "[@secret A](../outside/secret.md)\n[@nothing B](../outside/nothing.md)\n"
    (daemon.home / "page.md").write_text(text, encoding="utf-8")
    daemon.exec("/open page.md")
    codes = [daemon.exec(f"/open @{name}").head["code"] for name in ("secret", "nothing")]
    assert codes == ["FILE_NOT_ALLOWED", "FILE_NOT_ALLOWED"]


@pytest.mark.requirement("paths.links")
@pytest.mark.parametrize("target", ["docs/real.md", "{home}/docs/real.md", "also/real.md"])
def test_links_that_stay_inside_are_followed(daemon: DaemonProcess, target: str) -> None:
    (daemon.home / "docs").mkdir(parents=True)
    (daemon.home / "also").symlink_to(daemon.home / "docs")
    (daemon.home / "near.md").symlink_to(target.format(home=daemon.home))
    assert daemon.exec("/write near.md\none").head["ok"]
    assert daemon.exec("/append near.md\ntwo").head["ok"]
    assert (daemon.home / "near.md").is_symlink()
    assert (daemon.home / "docs" / "real.md").read_bytes() == b"one\ntwo\n"


@pytest.mark.parametrize(("options", "variable"), [(["--access", "full"], ""), ([], "full")])
def test_full_access_has_no_boundary(start_daemon: Start, options: list[str], variable: str) -> None:
    daemon = start_daemon(*options, env={"STRINGD_ACCESS": variable})
    daemon.register("default", daemon.home)
    outside = prepare(daemon.home)
    assert daemon.exec(f"/ls {outside}").content.endswith(f"secret.md  {len(SECRET)} bytes")
    for command in COMMANDS:
        (outside / "secret.md").write_bytes(SECRET)
        answer = daemon.exec(command.format("out/secret.md"), f"file:{COMMANDS.index(command)}")
        assert answer.head["code"] == KNOWN_FILE_ANSWERS.get(command), answer.content


def test_the_option_wins_over_the_variable(start_daemon: Start) -> None:
    daemon = start_daemon("--access", "home", env={"STRINGD_ACCESS": "full"})
    daemon.register("default", daemon.home)
    assert daemon.exec("/ls /").head["code"] == "FILE_NOT_ALLOWED"


@pytest.mark.parametrize(("words", "variable"), [(["--access", "none"], ""), ([], "Full")])
def test_invalid_access_is_refused(words: list[str], variable: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "stringd", "--port", "0", *words],
        env={**os.environ, "STRINGD_ACCESS": variable},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=20,
        check=False,
    )
    given = words[-1] if words else variable
    assert (ended.returncode, ended.stderr) == (2, f"stringd: access must be home or full, not '{given}'\n")


def test_allowed_paths_are_inside(daemon: DaemonProcess, outside: Path) -> None:
    body = {"id": "default", "home": str(daemon.home), "allowedPaths": [str(outside)]}
    assert daemon.request("POST", "/users", body).status == 200
    assert daemon.exec("/open out/secret.md").head["ok"]
    assert daemon.exec(f"/write {outside}/new.md\nnew").content.endswith(
        f"{outside}/new.md (4 bytes, 1 line)"
    )
    assert daemon.exec(f"/ls {outside.parent}").head["code"] == "FILE_NOT_ALLOWED"


def test_special_files_are_refused_at_once(daemon: DaemonProcess) -> None:
    daemon.home.mkdir(parents=True, exist_ok=True)
    os.mkfifo(daemon.home / "pipe")
    (daemon.home / "circle").symlink_to("circle")
    for command in COMMANDS:
        for name in ("pipe", "circle"):
            answer = daemon.exec(command.format(name))
            assert answer.head["code"] == "INVALID_TARGET", answer.content
    assert daemon.stop() == 0


@pytest.mark.parametrize("path", ["x" * 300, "x" * 5000, "a\0b", "/" * 5000, "~/" + "y/" * 2100])
def test_invalid_path_is_a_one_line_error(daemon: DaemonProcess, path: str) -> None:
    for command in COMMANDS:
        answer = daemon.exec(command.format(path))
        assert answer.head["code"] == "INVALID_TARGET"
        assert len(answer.content) < 500
