"""`/install --update`: what has changed at the source, what the user has changed, what has vanished."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.apps.shelf import put, refused, said
from tests.apps.site import Site

KEPT = "kept, since you have changed or added them: "
UPDATE = "/install --update parrot"


@pytest.fixture
def shelf(installed: DaemonProcess) -> Path:
    """The installed app."""
    return installed.home / "packages" / "parrot"


@pytest.mark.requirement("app.update")
def test_nothing_changed_is_up_to_date(installed: DaemonProcess, shelf: Path) -> None:
    before = {it: it.stat().st_mtime_ns for it in shelf.rglob("*")}
    assert said(installed, UPDATE) == "Up to date: app:parrot"
    assert said(installed, "/install --update app:parrot") == "Up to date: app:parrot"
    assert {it: it.stat().st_mtime_ns for it in shelf.rglob("*")} == before


@pytest.mark.requirement("app.update", "app.update.shown")
def test_changes_are_taken_over_and_shown(installed: DaemonProcess, app: Path, shelf: Path) -> None:
    said(installed, '/set $KEY = "kept"', "app:parrot")
    put(app / "guide.md", "# Guide\n\nSpeak slowly.\n")
    put(app / "new.md", "# New\n")
    put(app / "picture.png", "")
    (app / "picture.png").write_bytes(b"\x89PNG\xff")
    (app / "nav" / "main.md").unlink()
    told = said(installed, UPDATE)
    assert told.startswith(
        "Updated app:parrot\n---\n"
        f"source: {app}\n"
        "changed: 4 files\n"
        "- guide.md: added 1 line, removed 1 line\n"
        "- nav/main.md: removed\n"
        "- new.md: new\n"
        "- picture.png: new\n"
        "```diff\nguide.md\n1 │ # Guide\n2 │\n3 -│ Speak clearly.\n3 +│ Speak slowly.\n```\n"
        "runs: 1 command\n- act.say: ./say {word}\n"
    )
    assert told.endswith("open: /open app:parrot")
    assert "Speak slowly." in (shelf / "guide.md").read_text(encoding="utf-8")
    assert not (shelf / "nav" / "main.md").exists()
    assert said(installed, "/act.say hi", "app:parrot") == "hi kept"
    assert said(installed, UPDATE) == "Up to date: app:parrot"


@pytest.mark.requirement("app.update.edited")
def test_edited_and_own_files_are_kept_and_named(installed: DaemonProcess, app: Path, shelf: Path) -> None:
    put(shelf / "guide.md", "# My guide\n")
    put(shelf / "templates" / "say.md.j2", "{{ response.body }}!")
    put(shelf / ".git" / "HEAD", "ref")
    (shelf / "say").unlink()
    put(app / "new.md", "# New\n")
    told = said(installed, UPDATE)
    assert f"changed: 2 files\n- new.md: new\n- say: restored\n{KEPT}2 files\n- guide.md\n" in told
    assert "- templates/say.md.j2\n" in told
    assert (shelf / "guide.md").read_text(encoding="utf-8") == "# My guide\n"
    assert (shelf / "templates" / "say.md.j2").exists()
    assert (shelf / ".git" / "HEAD").exists()
    put(app / "guide.md", "# Their guide\n")
    told = said(installed, UPDATE)
    assert "- guide.md (the source has another version by now; --replace takes it)\n" in told
    assert (shelf / "guide.md").read_text(encoding="utf-8") == "# My guide\n"
    told = said(installed, f"{UPDATE} --replace")
    assert "1 -│ # My guide\n1 +│ # Their guide" in told
    assert f"{KEPT}1 file\n- templates/say.md.j2\n" in told


@pytest.mark.requirement("app.update.edited")
def test_same_edit_on_both_sides_is_no_conflict(installed: DaemonProcess, app: Path, shelf: Path) -> None:
    for folder in (app, shelf):
        put(folder / "guide.md", "# Same\n")
    told = said(installed, UPDATE)
    assert "changed: 0 files" in told
    assert KEPT not in told
    assert said(installed, UPDATE) == "Up to date: app:parrot"


@pytest.mark.requirement("app.update.vanished")
def test_vanished_source_leaves_the_app(installed: DaemonProcess, app: Path, shelf: Path) -> None:
    shutil.rmtree(app)
    before = (shelf / "string.md").read_bytes()
    assert refused(installed, UPDATE) == ("NOT_FOUND", f"ERROR(NOT_FOUND): File not found: {app}")
    assert (shelf / "string.md").read_bytes() == before


@pytest.mark.requirement("app.update", "app.update.vanished")
def test_url_is_fetched_again(daemon: DaemonProcess, site: Site) -> None:
    site.pages["/owl.md"] = b"# Owl\n\nOne.\n"
    said(daemon, f"/install {site.url}/owl.md")
    site.pages["/owl.md"] = b"# Owl\n\nTwo.\n"
    told = said(daemon, "/install --update owl", "file:other")
    assert f"source: {site.url}/owl.md\nchanged: 1 file\n- owl.md: added 1 line, removed 1 line\n" in told
    del site.pages["/owl.md"]
    assert refused(daemon, "/install --update owl")[0] == "NOT_FOUND"
    assert "Two." in said(daemon, "/open app:owl")


@pytest.mark.requirement("app.update.refused")
def test_app_without_a_source_is_refused(daemon: DaemonProcess) -> None:
    put(daemon.home / "packages" / "hand" / "string.md", "# By hand\n")
    assert refused(daemon, "/install --update hand")[0] == "INVALID_TARGET"
    assert refused(daemon, "/install --update gone")[0] == "NOT_FOUND"
    assert refused(daemon, "/install --update ../hand")[0] == "NOT_FOUND"
    assert refused(daemon, "/install --update")[0] == "INVALID_PAYLOAD"
    assert refused(daemon, "/install --update hand --as x")[0] == "INVALID_PAYLOAD"


@pytest.mark.requirement("app.update.refused")
def test_other_app_at_the_source_is_refused(installed: DaemonProcess, app: Path, shelf: Path) -> None:
    text = (app / "string.md").read_text(encoding="utf-8")
    put(app / "string.md", text.replace("namespace: zoo", "namespace: trap"))
    code, told = refused(installed, UPDATE)
    assert code == "CONFLICT"
    assert "has another app now: trap/parrot, not zoo/parrot." in told
    assert "zoo" in (shelf / "string.md").read_text(encoding="utf-8")


@pytest.mark.requirement("app.update.refused")
def test_unproved_command_of_an_update_is_refused(installed: DaemonProcess, app: Path, shelf: Path) -> None:
    put(app / "bad.md", '```act.bad\nCLI eval "{x}"\n  x: string\n```\n')
    assert refused(installed, UPDATE)[0] == "INVALID_TARGET"
    assert not (shelf / "bad.md").exists()


@pytest.mark.requirement("app.update.edited")
def test_app_of_an_earlier_version_is_updated_if_nothing_can_be_lost(
    installed: DaemonProcess, app: Path, shelf: Path
) -> None:
    (shelf / ".stringd-files.json").unlink()
    record = json.loads((shelf / ".stringd-package.json").read_text(encoding="utf-8"))
    old = {name: value for name, value in record.items() if name not in {"kind", "arguments"}}
    put(shelf / ".stringd-package.json", json.dumps(old))
    put(app / "new.md", "# New\n")
    code, told = refused(installed, UPDATE)
    assert (code, "--replace takes all files" in told) == ("CONFLICT", True)
    assert "- new.md: new" in said(installed, f"{UPDATE} --replace")
    assert said(installed, UPDATE) == "Up to date: app:parrot"


@pytest.mark.requirement("app.update.shown")
def test_shown_lines_of_a_stranger_are_bounded_and_forge_nothing(installed: DaemonProcess, app: Path) -> None:
    lines = "".join(f"line {number}\n" for number in range(20_000))
    put(app / "guide.md", f"```\n---\nERROR(X): y\n\x1b[31mred\n# Guide\n{lines}")
    told = said(installed, UPDATE)
    assert len(told) < 20_000
    assert "```diff\nguide.md\n" in told
    assert "+│ ```\n" in told
    assert "\x1b" not in told
    assert "line 1\n" in told


@pytest.mark.requirement("app.update.refused")
def test_app_that_is_replaced_meanwhile_is_not_updated(daemon: DaemonProcess, site: Site) -> None:
    site.pages["/owl.md"] = b"# Owl\n"
    said(daemon, f"/install {site.url}/owl.md")
    site.pages["/owl.md"] = b"# Owl 2\n"
    site.asked.clear()
    with site.held(), ThreadPoolExecutor() as pool:
        updating = pool.submit(refused, daemon, "/install --update owl", "file:other")
        assert site.asked.wait(10)
        put(daemon.home / "mine" / "owl.md", "# My owl\n")
        assert "Installed app:owl" in said(daemon, "/install mine/owl.md --replace")
        site.release()
        assert updating.result(20)[0] == "CONFLICT"
    assert "# My owl" in said(daemon, "/open app:owl")
