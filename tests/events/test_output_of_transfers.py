"""Progress and texts of transfers: HTTP actions, web pages, apps."""

from __future__ import annotations

import io
import socket
import threading
import zipfile
from collections.abc import Iterator

import pytest

from tests.actions.acting import act
from tests.events.output import Seen, Watched
from tests.web.server import Received, Site, redirect, serving

PIECE = b"x" * 20_000
PIECES = 12
SIZE = PIECES * len(PIECE)


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


def slow(site: Site, *, sized: bool = True) -> Iterator[bytes]:
    """A response that takes more than half a second."""
    length = f"Content-Length: {SIZE}\r\n" if sized else ""
    yield f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n{length}Connection: close\r\n\r\n".encode()
    yield from site.slowly([PIECE] * PIECES, 0.06)


def check_progress(events: list[Seen], total: int | None = SIZE) -> None:
    done = [it["done"] for it in events]
    assert 2 <= len(done) <= 20
    assert done == sorted(done)
    assert 0 < done[0] < SIZE
    assert done[-1] == SIZE
    assert {(it["total"], it["unit"], it["text"]) for it in events} == {(total, "bytes", None)}


@pytest.mark.requirement("output.http")
@pytest.mark.parametrize("sized", [True, False])
def test_download_of_an_http_action_is_published(watched: Watched, site: Site, sized: bool) -> None:
    site.serve("/slow", lambda _: slow(site, sized=sized))
    page = watched.daemon.home / "page.md"
    page.write_text(f"# Page\n\n{act('get', f'GET {site.url}/slow')}\n", encoding="utf-8")
    watched.daemon.exec("/open page.md", "file:main")
    with watched.running("/act.get", "file:main", request_id="r1") as answer:
        watched.wait_for(lambda it: bool(it.progress("download")))
        assert not answer.done()
    assert answer.result().head["ok"]
    check_progress(watched.progress("download"), SIZE if sized else None)
    assert {it["request_id"] for it in watched.progress("download")} == {"r1"}


@pytest.mark.requirement("output.http", "web.save.progress")
@pytest.mark.parametrize("sized", [True, False])
def test_download_of_a_saved_file_is_published(watched: Watched, site: Site, sized: bool) -> None:
    site.serve("/slow", lambda _: slow(site, sized=sized))
    command = f"/open {site.url}/slow --save {'sized' if sized else 'endless'}.txt"
    with watched.running(command, "web:saved", request_id="r2") as answer:
        watched.wait_for(lambda it: bool(it.progress("download")))
        assert not answer.done()
    assert answer.result().head["ok"]
    check_progress(watched.progress("download"), SIZE if sized else None)


@pytest.mark.requirement("output.http")
def test_upload_of_an_http_action_is_published(watched: Watched) -> None:
    size, halfway, seen = 9_000_000, 1_000_000, threading.Event()

    def read_with_a_pause(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection, connection.makefile("rb") as reader:
            while reader.readline() != b"\r\n":
                pass
            reader.read(halfway)
            seen.wait(20)
            reader.read(size - halfway)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        # Otherwise the system may take the whole body before it is read.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        server = threading.Thread(target=read_with_a_pause, args=(listener,))
        server.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/up"
        (watched.daemon.home / "data.txt").write_text("y" * size, encoding="utf-8")
        declared = act("put", f"POST {url}", "  f: path", "  body:", "    {f|file}")
        (watched.daemon.home / "page.md").write_text(f"# Page\n\n{declared}\n", encoding="utf-8")
        watched.daemon.exec("/open page.md", "file:main")
        with watched.running("/act.put data.txt", "file:main") as answer:
            watched.wait_for(lambda it: bool(it.progress("upload")))
            assert not answer.done()
            seen.set()
        server.join(20)
    assert answer.result().head["ok"], answer.result().content
    done = [it["done"] for it in watched.progress("upload")]
    assert done == sorted(done)
    assert 0 < done[0] < done[-1] == size
    assert {(it["total"], it["unit"]) for it in watched.progress("upload")} == {(size, "bytes")}


@pytest.mark.requirement("output.short")
def test_short_transfer_is_not_published(watched: Watched, site: Site) -> None:
    watched.daemon.exec(f"/open {site.page('/quick', '<h1>Quick</h1>')}", "web:main")
    assert not watched.events("output")


@pytest.mark.requirement("output.web")
def test_fetching_a_page_is_published_with_its_redirects(watched: Watched, site: Site) -> None:
    site.serve("/first", redirect("/slow"))
    site.serve("/slow", lambda _: slow(site))
    with watched.running(f"/open {site.url}/first", "web:main"):
        watched.wait_for(lambda it: bool(it.progress("download")))
    check_progress(watched.progress("download"))
    texts = [(it["source"], it["text"]) for it in watched.events("output") if it["text"]]
    assert texts == [("redirect", f"redirected to {site.url}/slow\n")]
    assert watched.events()[-1]["kind"] == "command-ended"


@pytest.mark.long
@pytest.mark.requirement("output.web")
def test_conversion_of_a_long_page_is_published(watched: Watched, site: Site) -> None:
    body = "".join(f"<h2>Part {i}</h2><p>{'<b>word</b> <i>more</i> ' * 50}</p>" for i in range(4000))
    with watched.running(f"/open {site.page('/long', body)} --full", "web:main"):
        watched.wait_for(lambda it: bool(it.progress("conversion")))
    events = watched.progress("conversion")
    done = [it["done"] for it in events]
    assert done == sorted(done)
    assert all(it["done"] < it["total"] and it["unit"] == "parts" for it in events)


@pytest.mark.requirement("output.install")
def test_download_of_an_app_is_published(watched: Watched, site: Site) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as app:
        app.writestr("README.md", "---\nname: slowly\n---\n\n# Slowly\n")
        app.writestr("data.bin", bytes(300_000))
    data = archive.getvalue()
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(data)}\r\nConnection: close\r\n\r\n".encode()
    step = len(data) // 10

    def send(_: Received) -> Iterator[bytes]:
        yield head
        yield from site.slowly((data[at : at + step] for at in range(0, len(data), step)), 0.06)

    with watched.running(f"/install {site.serve('/app.zip', send)}", "file:main") as answer:
        watched.wait_for(lambda it: bool(it.progress("download")))
    assert answer.result().head["ok"], answer.result().content
    assert watched.progress("download")[-1]["done"] == len(data)
