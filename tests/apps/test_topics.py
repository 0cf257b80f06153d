"""`app:name` topics: the app is open from the first command, under URIs without file paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.apps.shelf import put, refused, said, write_app

PARROT = """[nav] main — /nav <name>
[actions] /act.say --word <string>
[!] Missing required env: $KEY — /set $KEY = "..."

# Parrot

Read [the guide](guide.md) or [the docs][@the-docs]."""


@pytest.mark.requirement("app.open")
@pytest.mark.parametrize("topic", ["app:parrot", "app:parrot:blue", "file:main"])
@pytest.mark.parametrize("target", ["app:parrot", "app:parrot:red"])
def test_an_app_is_opened_by_its_name(installed: DaemonProcess, topic: str, target: str) -> None:
    reply = installed.exec(f"/open {target}", topic)
    assert reply.content == f"re: /open {target}\nOpened {target}\n---\n{PARROT}"
    assert reply.head["meta"] == {"uri": "app:parrot/string.md", "title": "Parrot", "current_block": None}


@pytest.mark.requirement("app.first_use")
@pytest.mark.parametrize("cmd", ["/info", "/act", "/refresh", "/source", "/open #parrot", "/open guide.md"])
def test_app_is_open_at_the_first_command(installed: DaemonProcess, cmd: str) -> None:
    reply = installed.exec(cmd, "app:parrot")
    assert reply.head["ok"], reply.content
    assert reply.head["meta"]["uri"].startswith("app:parrot/")


def test_app_is_reopened_after_close(installed: DaemonProcess) -> None:
    said(installed, "/open guide.md", "app:parrot")
    assert said(installed, "/close", "app:parrot") == "Closed: app:parrot/guide.md"
    assert "uri: app:parrot/string.md" in said(installed, "/info", "app:parrot")


def test_topic_opens_an_app_installed_later(daemon: DaemonProcess, app: Path) -> None:
    code, text = refused(daemon, "/act", "app:parrot")
    assert (code, text.splitlines()[0]) == ("NOT_FOUND", "ERROR(NOT_FOUND): App not installed: parrot")
    assert "app: parrot (not installed)" in said(daemon, "/info", "app:parrot")
    said(daemon, f"/install {app}", "app:parrot")
    assert "/act.say --word <string>" in said(daemon, "/act", "app:parrot")


def test_error_suggests_the_nearest_app(installed: DaemonProcess) -> None:
    assert "nearest: app:parrot" in refused(installed, "/open app:parot")[1]


def test_relative_paths_start_at_the_opened_directory(installed: DaemonProcess) -> None:
    (installed.home / "work").mkdir()
    (installed.home / "work" / "note.md").write_text("# Note", encoding="utf-8")
    said(installed, "/open ~/work", "app:parrot")
    assert said(installed, "/open note.md", "app:parrot") == "Opened note.md\n---\n# Note"


@pytest.mark.requirement("app.no_paths")
def test_no_installation_path_is_shown(installed: DaemonProcess) -> None:
    shown = [said(installed, cmd, "app:parrot") for cmd in ("/info", "/open guide.md", "/source", "/back")]
    assert "source: " in shown[0]
    assert [text for text in shown[1:] if "packages" in text or str(installed.home) in text] == []
    assert "packages" not in shown[0]


def test_info_names_the_app(installed: DaemonProcess) -> None:
    facts = said(installed, "/info", "app:parrot:blue").splitlines()
    expected = {"app: parrot", "name: parrot", "namespace: zoo", "version: 1.0.0", "config: blue"}
    assert expected <= set(facts)


def test_links_and_menus_open_pages_of_the_app(installed: DaemonProcess) -> None:
    for target in ("guide.md", "@main.guide", "app:parrot/guide.md", "nav/../guide.md#guide"):
        said(installed, "/open app:parrot", "app:parrot")
        assert "Speak clearly." in said(installed, f"/open {target}", "app:parrot")
    assert "Opened app:parrot/guide.md\n" in said(installed, "/open app:parrot", "app:parrot") + said(
        installed, "/open @main.guide", "app:parrot"
    )
    assert said(installed, "/back", "app:parrot").startswith("Back to app:parrot/string.md\n---\n")


@pytest.mark.requirement("app.inside")
@pytest.mark.parametrize(
    "target", ["../../secret.md", "app:parrot/../../secret.md", "app:parrot/out.md", "@main.out"]
)
def test_paths_cannot_leave_the_app(daemon: DaemonProcess, app: Path, target: str) -> None:
    put(daemon.home / "secret.md", "secret")
    put(app / "nav" / "main.md", "[@out Out](../../../secret.md)\n")
    said(daemon, f"/install {app}")
    (daemon.home / "packages" / "parrot" / "out.md").symlink_to(daemon.home / "secret.md")
    code, text = refused(daemon, f"/open {target}", "app:parrot")
    assert code in {"FILE_NOT_ALLOWED", "NOT_FOUND"}
    assert "secret\n" not in text


def test_include_outside_the_app_is_omitted(daemon: DaemonProcess, app: Path) -> None:
    put(daemon.home / "secret.md", "very secret")
    page = app / "string.md"
    put(page, page.read_text(encoding="utf-8") + "\n[!include:x](../../secret.md)\n")
    said(daemon, f"/install {app}")
    assert "very secret" not in said(daemon, "/open app:parrot", "app:parrot")


def test_user_files_can_be_opened(installed: DaemonProcess) -> None:
    put(installed.home / "mine.md", "# Mine\n")
    for target in ("~/mine.md", str(installed.home / "mine.md")):
        assert "# Mine" in said(installed, f"/open {target}", "app:parrot")
        said(installed, "/back", "app:parrot")


@pytest.mark.requirement("app.directory")
def test_app_programs_run_in_the_home(installed: DaemonProcess) -> None:
    (installed.home / "work").mkdir()
    said(installed, '/set $KEY = "k"', "app:parrot")
    assert f"cwd: {installed.home}\n" in said(installed, "/info", "app:parrot")
    assert said(installed, "/act.say hello", "app:parrot") == "hello k"
    said(installed, "/open ~/work", "app:parrot")
    assert f"cwd: {installed.home / 'work'}\n" in said(installed, "/info", "app:parrot")
    assert said(installed, "/act.say hello", "app:parrot") == "hello k"


def test_reinstalled_app_is_served_at_once(installed: DaemonProcess, app: Path) -> None:
    said(installed, "/open app:parrot", "app:parrot")
    write_app(app, title="Cockatoo")
    said(installed, f"/install {app}")
    assert "# Cockatoo" in said(installed, "/refresh", "app:parrot")


def test_location_survives_restart(installed: DaemonProcess) -> None:
    said(installed, "/open guide.md", "app:parrot")
    installed.restart()
    assert "uri: app:parrot/guide.md" in said(installed, "/info", "app:parrot")
    assert said(installed, "/back", "app:parrot").startswith("Back to app:parrot/string.md")


def test_manually_copied_package_is_an_app(daemon: DaemonProcess) -> None:
    write_app(daemon.home / "packages" / "hand")
    assert "# Parrot" in said(daemon, "/open app:hand")
    assert "source: put there by hand" in said(daemon, "/info", "app:hand")


@pytest.mark.parametrize("kind", ["empty", "binary", "link"])
def test_broken_package_is_refused_and_can_be_uninstalled(
    daemon: DaemonProcess, tmp_path: Path, kind: str
) -> None:
    packages = daemon.home / "packages"
    outside = put(tmp_path / "outside" / "string.md", "secret\n").parent
    packages.mkdir(parents=True)
    if kind == "link":
        (packages / "bad").symlink_to(outside)
    else:
        put(packages / "bad" / "string.md", "").write_bytes(b"\xff")
    if kind == "empty":
        (packages / "bad" / "string.md").unlink()
    for cmd in ("/info", "/act", '/set $KEY = "v"', "/open app:bad"):
        code, text = refused(daemon, cmd, "app:bad")
        assert (code in {"INVALID_TARGET", "FILE_NOT_ALLOWED"}, "secret" in text) == (True, False)
    assert said(daemon, "/uninstall bad") == "Uninstalled app:bad"
    assert (outside / "string.md").exists()
    assert list(packages.iterdir()) == []


@pytest.mark.parametrize("noted", ['{"namespace": 5, "name": [], "source": null}', "[1]", "{", "{}"])
def test_unreadable_record_is_ignored(daemon: DaemonProcess, noted: str) -> None:
    put(daemon.home / "packages" / "odd" / "string.md", "# Odd\n")
    put(daemon.home / "packages" / "odd" / ".stringd-package.json", noted)
    assert "# Odd" in said(daemon, "/open app:odd")


@pytest.mark.parametrize("target", ["app:", "app:../x", "app:a.b", "app:parrot/none.md", "app:parrot/nav"])
def test_missing_page_is_refused(installed: DaemonProcess, target: str) -> None:
    assert refused(installed, f"/open {target}")[0] in {"NOT_FOUND", "INVALID_TARGET"}
    assert installed.exec("/info").head["ok"]
