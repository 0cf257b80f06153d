"""`/open url --save path` stores what a URL leads to, whatever its size, in a new file."""

from __future__ import annotations

import gzip
import hashlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from stringd_web import web_loader
from tests.actions.acting import Stage, running_daemon
from tests.protocol.waits import eventually
from tests.web.server import Site, answer, chunked, redirect
from tests.web.visiting import Visitor

BINARY = "application/octet-stream"
PIECE = os.urandom(64 * 1024)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon that saves files of up to 12 MiB."""
    with running_daemon(tmp_path_factory.mktemp("shared"), STRINGD_WEB_DOWNLOAD="12") as running:
        yield running


@pytest.fixture
def folder(stage: Stage) -> Path:
    """A new directory in the home, where the files go."""
    made: Path = stage.daemon.home / stage.topic.replace(":", "-")
    made.mkdir()
    return made


@pytest.mark.requirement("web.save")
def test_file_is_stored_and_described(stage: Stage, site: Site, folder: Path) -> None:
    url = site.page("/logo", b"\x89PNG\r\n\x1a\n" + PIECE, BINARY)
    stage.send("/set {x} = '1'")
    said = stage.send(f"/open {url} --save {folder.name}/new/logo.png")
    assert said == f"Saved: {folder.name}/new/logo.png ({8 + len(PIECE)} bytes, image/png) from {url}"
    assert (folder / "new/logo.png").read_bytes() == b"\x89PNG\r\n\x1a\n" + PIECE
    assert site.last.headers["Accept"] == "*/*"
    assert (stage.meta() or {}).get("uri") is None


@pytest.mark.requirement("web.save")
def test_a_large_file_is_streamed_into_place(stage: Stage, site: Site, folder: Path) -> None:
    seen: list[set[str]] = []

    def pieces() -> Iterator[bytes]:
        for number in range(11 * 16):
            if number == 10 * 16:
                seen.append({it.suffix for it in folder.iterdir()})
            yield PIECE

    site.serve("/big", lambda _: chunked(pieces(), "application/zip"))
    said = stage.send(f'/open --save "{folder.name}/a b.zip" {site.url}/big')
    assert said.startswith(f"Saved: {folder.name}/a b.zip ({11 * 2**20} bytes, application/zip) from ")
    stored = (folder / "a b.zip").read_bytes()
    assert hashlib.sha256(stored).digest() == hashlib.sha256(PIECE * 11 * 16).digest()
    assert seen == [{".stringd-tmp"}]
    assert [it.name for it in folder.iterdir()] == ["a b.zip"]


@pytest.mark.requirement("web.save")
def test_links_redirects_cookies_and_compression(stage: Stage, site: Site, folder: Path) -> None:
    site.serve("/", answer("<a href=/get>Get it</a>", headers={"Set-Cookie": "id=7"}))
    site.serve("/get", redirect("/there"))
    packed = gzip.compress(b"a,b\n1,2\n")
    site.serve("/there", answer(packed, media_type="text/csv", headers={"Content-Encoding": "gzip"}))
    stage.send(f"/open {site.url}/")
    said = stage.send(f"/open @get-it --save {folder.name}/t.csv")
    assert said == f"Saved: {folder.name}/t.csv (8 bytes, text/csv) from {site.url}/there"
    assert (folder / "t.csv").read_text() == "a,b\n1,2\n"
    assert site.last.headers["Cookie"] == "id=7"
    assert stage.send("/info").count(f"{site.url}/\n") >= 1


@pytest.mark.requirement("web.save.bounded")
@pytest.mark.parametrize("declared", [True, False])
def test_more_than_the_limit_leaves_nothing(stage: Stage, site: Site, folder: Path, declared: bool) -> None:
    size = {"Content-Length": str(2**40)} if declared else {}
    head = answer(media_type=BINARY, headers=size, status="200 OK").partition(b"Content-Length: 0\r\n")
    if declared:
        site.serve("/big", [head[0], b"\r\n"])
    else:
        site.serve("/big", lambda _: chunked((PIECE for _ in range(13 * 16)), BINARY))
    said = stage.send(f"/open {site.url}/big --save {folder.name}/big")
    assert said.startswith(f"ERROR(LOAD_ERROR): The answer is larger than 12 MiB: {site.url}/big")
    assert list(folder.iterdir()) == []


@pytest.mark.requirement("web.save.whole")
@pytest.mark.parametrize("status", ["404 Not Found", "500 Internal Server Error"])
def test_an_error_page_is_not_stored(stage: Stage, site: Site, folder: Path, status: str) -> None:
    site.serve("/x", answer("Not here.", status=status))
    assert stage.code(f"/open {site.url}/x --save {folder.name}/x") in {"NOT_FOUND", "LOAD_ERROR"}
    assert list(folder.iterdir()) == []


@pytest.mark.requirement("web.save.whole")
def test_a_transfer_that_is_cut_off_leaves_nothing(stage: Stage, site: Site, folder: Path) -> None:
    site.serve("/x", [answer(PIECE, media_type=BINARY)[:-10]])
    said = stage.send(f"/open {site.url}/x --save {folder.name}/x")
    assert said.startswith("ERROR(LOAD_ERROR): The answer is cut off")
    assert list(folder.iterdir()) == []


@pytest.mark.requirement("web.save.whole")
def test_a_cancelled_transfer_leaves_nothing(stage: Stage, site: Site, folder: Path) -> None:
    site.serve("/slow", lambda _: chunked(site.slowly([PIECE] * 3000, 0.01), BINARY))
    saving = threading.Thread(target=stage.send, args=(f"/open {site.url}/slow --save {folder.name}/x",))
    saving.start()
    eventually(lambda: [*folder.iterdir()], within=20)
    assert stage.send("/cancel").startswith("Cancelled: /open ")
    saving.join(20)
    assert list(folder.iterdir()) == []


@pytest.mark.requirement("web.save.whole")
def test_a_stalled_transfer_is_given_up(
    visitor: Visitor, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert web_loader.STALL_SECONDS == 20
    monkeypatch.setattr(web_loader, "STALL_SECONDS", 0.5)
    taken: list[bytes] = []

    async def take(piece: bytes) -> None:
        taken.append(piece)

    site.serve("/slow", lambda _: chunked(site.slowly([b"x"] * 4, 0.2), BINARY))
    assert visitor.open(f"{site.url}/slow", save=take).body == b""
    assert b"".join(taken) == b"xxxx"
    site.serve("/stuck", lambda _: chunked(site.slowly([b"y"] * 2, 2), BINARY))
    refused = visitor.refusal(f"{site.url}/stuck", save=take)
    assert refused == ("LOAD_ERROR", f"Nothing arrives for 0.5 s: {site.url}/stuck")


@pytest.mark.requirement("web.save.path")
def test_nothing_is_replaced(stage: Stage, site: Site, folder: Path) -> None:
    url = site.page("/x", "new", "text/plain")
    (folder / "old").write_text("old")
    assert stage.send(f"/open {url} --save {folder.name}/old") == (
        f"ERROR(CONFLICT): Exists already: {folder.name}/old\nName a new file."
    )
    assert stage.code(f"/open {url} --save {folder.name}") == "CONFLICT"
    assert (folder / "old").read_text() == "old"
    assert site.received == []


@pytest.mark.requirement("web.save.path")
def test_only_the_users_files_are_written(stage: Stage, site: Site, folder: Path, tmp_path: Path) -> None:
    url = site.page("/x", "new", "text/plain")
    (folder / "out").symlink_to(tmp_path)
    for path in (tmp_path / "x", f"{folder.name}/out/x", "/proc/x"):
        assert stage.code(f"/open {url} --save {path}") == "FILE_NOT_ALLOWED"
    assert (list(tmp_path.iterdir()), site.received) == ([], [])


@pytest.mark.requirement("web.save.options")
@pytest.mark.parametrize("options", ["--full", "--part 2", "--browser"])
def test_options_of_views_do_not_go_with_saving(stage: Stage, site: Site, options: str) -> None:
    assert stage.code(f"/open {site.url}/ {options} --save x") == "INVALID_PAYLOAD"
    assert site.received == []


@pytest.mark.requirement("web.save.options")
def test_only_what_a_url_leads_to_is_saved(stage: Stage, site: Site) -> None:
    stage.write("# Page\n")
    assert stage.code("/open page.md --save x") == "INVALID_PAYLOAD"
    assert stage.code("/open app:none --save x") == "INVALID_PAYLOAD"
    assert stage.code(f"/open {site.url}/#top --save x") == "INVALID_PAYLOAD"
    assert stage.code(f"/open {site.url}/ --save") == "INVALID_PAYLOAD"
