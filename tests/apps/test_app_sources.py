"""Kinds of sources that plugins add to `/install`."""

from __future__ import annotations

import itertools
import json
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.apps import sourcing
from tests.apps.shelf import put, refused, said
from tests.apps.site import Site

NUMBERS = itertools.count(1)
PLUGIN = Path(sourcing.__file__)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon with the plugin; its log has the tracebacks that tests cause."""
    folder = tmp_path_factory.mktemp("sourcing")
    started = DaemonProcess(folder, ("--plugins", str(PLUGIN)), {}, port=0, data_dir=None)
    started.start()
    try:
        yield started
        assert started.stop() == 0
    finally:
        started.kill()


@pytest.fixture
def sourced(running: DaemonProcess, tmp_path: Path) -> DaemonProcess:
    """The daemon, whose user is a new one with a new home."""
    running.home = tmp_path / "home"
    running.home.mkdir()
    running.register("default", running.home)
    return running


def record(daemon: DaemonProcess, name: str) -> dict[str, str]:
    text = (daemon.home / "packages" / name / ".stringd-package.json").read_text(encoding="utf-8")
    values: dict[str, str] = json.loads(text)
    return values


@pytest.mark.requirement("app.source.words")
def test_words_make_an_app_and_the_reply_tells_what_runs(sourced: DaemonProcess) -> None:
    assert said(sourced, "/install tools --env 'A=b c' -- npx -y some-server ~/docs --as x") == (
        "Installed app:tools\n---\n"
        "source: tools --env 'A=b c' -- npx -y some-server ~/docs --as x\n"
        "stored: packages/tools/string.md\n"
        "runs: 1 command\n- --env A=b c -- npx -y some-server ~/docs --as x\n"
        "talks to:\n- api.example\n"
        "It starts\\nat first use.\n"
        "open: /open app:tools"
    )
    assert record(sourced, "tools")["kind"] == "tools"
    assert "- npx" in said(sourced, "/open app:tools")


@pytest.mark.requirement("app.source.words")
def test_files_get_their_modes_and_the_name_follows_as(sourced: DaemonProcess) -> None:
    said(sourced, "/install tools run --as mine a")
    stored = sourced.home / "packages" / "mine"
    assert stat.S_IMODE((stored / "run").stat().st_mode) == 0o755
    assert stat.S_IMODE((stored / "string.md").stat().st_mode) == 0o644
    assert said(sourced, "/uninstall mine") == "Uninstalled app:mine"


@pytest.mark.requirement("app.source.words")
def test_identity_rules_are_those_of_all_apps(sourced: DaemonProcess) -> None:
    said(sourced, "/install tools run a")
    assert said(sourced, "/install tools run a").startswith("Installed app:tools")
    assert refused(sourced, "/install tools run b")[0] == "CONFLICT"
    assert said(sourced, "/install tools --replace run b").startswith("Installed app:tools")
    put(sourced.home / "tools.md", "---\nnamespace: other\n---\n# Tools\n")
    assert "--as NAME" in refused(sourced, "/install tools.md")[1]


@pytest.mark.requirement("app.source.words")
@pytest.mark.parametrize(
    ("typed", "code", "told"),
    [
        ("tools --as", "INVALID_PAYLOAD", "--as needs a value."),
        ("tools --as x", "INVALID_PAYLOAD", "Usage: /install tools [--env"),
        ("tools 'a", "INVALID_PAYLOAD", "Usage: /install tools [--env"),
        ("tools", "NOT_FOUND", "File not found: tools"),
        ("tools ../out", "INVALID_TARGET", "A path that leads out of the app"),
        ("tools string.md", "INVALID_TARGET", "A path that occurs twice"),
        ("tools refuse", "NO_SUCH_TOOL", "There is none."),
        ("tools none", "INTERNAL_ERROR", ""),
        ("", "INVALID_PAYLOAD", "Usage: /install list file"),
        *((f"tools {it}", "INTERNAL_ERROR", "") for it in sourcing.FAILURES),
    ],
)
def test_what_cannot_be_made_is_refused(sourced: DaemonProcess, typed: str, code: str, told: str) -> None:
    found, text = refused(sourced, f"/install {typed}")
    assert found == code
    assert told in text
    assert not list(sourced.home.glob("packages/*"))
    assert said(sourced, "/install tools run").startswith("Installed app:tools")


@pytest.mark.requirement("app.source.words")
def test_path_with_the_name_of_a_kind_is_a_path(sourced: DaemonProcess) -> None:
    put(sourced.home / "tools" / "string.md", "# A directory\n")
    assert "source: tools\n" in said(sourced, "/install tools")
    assert record(sourced, "tools")["kind"] == ""


@pytest.mark.requirement("app.source.file")
def test_file_of_a_kind_is_recognised(sourced: DaemonProcess, site: Site) -> None:
    put(sourced.home / "birds.list", "- owl\n- crow\n")
    assert "app:birds" in said(sourced, "/install birds.list --server http://x.y")
    assert "- crow\n--server http://x.y" in said(sourced, "/open app:birds")
    site.pages["/fish.list"] = b"- eel\n"
    assert f"source: {site.url}/fish.list" in said(sourced, f"/install {site.url}/fish.list --as fishes")
    assert "- eel" in said(sourced, "/open app:fishes")
    assert record(sourced, "fishes")["kind"] == "list"


@pytest.mark.requirement("app.source.file")
def test_other_files_are_not_of_the_kind(sourced: DaemonProcess, site: Site) -> None:
    put(sourced.home / "birds.txt", "- owl\n")
    put(sourced.home / "bad.list", "fail\n")
    for typed in ("birds.txt", "bad.list"):
        assert "Neither a document nor an archive" in refused(sourced, f"/install {typed}")[1]
    put(sourced.home / "doc.md", "# Doc\n")
    told = refused(sourced, "/install doc.md --server http://x.y")
    assert told[0] == "INVALID_PAYLOAD"
    assert "--server is not an option of this source" in told[1]
    site.pages["/big.bin"] = bytes(11 * 1024 * 1024)
    assert "larger than 10 MiB" in refused(sourced, f"/install {site.url}/big.bin")[1]


@pytest.mark.requirement("app.source.update")
def test_update_makes_the_app_again_with_the_same_words_and_options(sourced: DaemonProcess) -> None:
    said(sourced, "/install tools run a 'b c' --as t")
    told = said(sourced, "/install --update t")
    assert told.startswith("Updated app:t\n---\nsource: tools run a 'b c' --as t\nchanged: 1 file\n")
    assert "+│ - updated" in told
    assert "runs: 1 command\n- run a b c\n" in told
    assert said(sourced, "/install --update t") == "Up to date: app:t"
    put(sourced.home / "birds.list", "- owl\n")
    said(sourced, "/install birds.list --server http://x.y")
    put(sourced.home / "birds.list", "- owl\n- crow\n")
    assert "+│ - crow" in said(sourced, "/install --update birds")
    assert "--server http://x.y" in said(sourced, "/open app:birds")


@pytest.mark.requirement("app.source.update")
def test_update_without_the_plugin_names_the_kind(
    sourced: DaemonProcess, start_daemon: Callable[..., DaemonProcess]
) -> None:
    said(sourced, "/install tools run")
    bare = start_daemon()
    bare.register("default", sourced.home)
    code, told = refused(bare, "/install --update tools")
    assert code == "INVALID_TARGET"
    assert "No plugin installs apps of the kind tools" in told
    assert "# Tools" in said(bare, "/open app:tools")
