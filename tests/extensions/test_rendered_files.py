"""Renderers of plugins for local files, chosen by the same media types as for responses."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from stringd.testing.process import DaemonProcess

Start = Callable[..., DaemonProcess]
TABLES = '''
"""CSV files as tables."""
import csv
from stringd.plugin import Document, Heading, LoadedBytes, Outline, Renderer, hookimpl

def render(loaded: LoadedBytes) -> Document:
    rows = list(csv.reader(loaded.body.decode().splitlines()))
    lines = ["# Table", "", *("| " + " | ".join(row) + " |" for row in rows)]
    lines.insert(3, "|" + "---|" * len(rows[0]))
    outline = Outline(headings=(Heading(first=0, last=1, level=1, text="Table", id="table"),))
    return Document(uri=loaded.uri, title="Table", text="\\n".join(lines), outline=outline)

@hookimpl
def stringd_renderers():
    return [Renderer(media_types=("application/toml",), render=render)]
'''
NOTEBOOKS = '''
"""Notebooks as documents."""
import json
from stringd.plugin import Document, LoadedBytes, Renderer, hookimpl

def render(loaded: LoadedBytes) -> Document:
    cells = json.loads(loaded.body)["cells"]
    return Document(uri=loaded.uri, title=None, text="\\n\\n".join("".join(it["source"]) for it in cells))

@hookimpl
def stringd_renderers():
    return [Renderer(media_types=("application/yaml",), render=render)]
'''
IMAGES = '''
"""Images by their size."""
from stringd.plugin import Document, Outline, Renderer, hookimpl

def render(loaded):
    text = f"{loaded.media_type}: {len(loaded.body)}"
    return Document(uri=loaded.uri, title=None, text=text, outline=Outline())

@hookimpl
def stringd_renderers():
    return [Renderer(media_types=("image/*",), render=render)]
'''
CSV = "name,legs\nant,6\n"
TABLE = "# Table\n\n| name | legs |\n|---|---|\n| ant | 6 |"
NOTEBOOK = json.dumps(
    {"cells": [{"source": ["# Ants\n", "They have [legs](legs.md)."]}, {"source": ["## More"]}]}
)
PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)


@pytest.fixture
def readers(tmp_path: Path, start_daemon: Start) -> DaemonProcess:
    """A daemon whose user has files of several kinds, with a renderer for some of them."""
    folder = tmp_path / "plugins"
    folder.mkdir()
    for name, source in {"tables": TABLES, "notebooks": NOTEBOOKS, "images": IMAGES}.items():
        (folder / f"{name}.py").write_text(source, encoding="utf-8")
    return with_files(start_daemon("--plugins-dir", str(folder)))


def with_files(daemon: DaemonProcess) -> DaemonProcess:
    daemon.register("default", daemon.home)
    for name, text in {"a.toml": CSV, "a.yaml": NOTEBOOK, "a.json": "[1]", "a.txt": CSV}.items():
        (daemon.home / name).write_text(text, encoding="utf-8")
    (daemon.home / "a.png").write_bytes(PNG)
    (daemon.home / "binary.toml").write_bytes(PNG)
    return daemon


def shown(daemon: DaemonProcess, cmd: str) -> str:
    reply = daemon.exec(cmd)
    assert reply.head["ok"], reply.content
    return reply.content.partition("---\n")[2]


def test_a_file_is_rendered_by_its_media_type(readers: DaemonProcess) -> None:
    assert shown(readers, "/open a.toml") == TABLE
    assert shown(readers, "/open a.png") == f"image/png: {len(PNG)}"
    assert shown(readers, "/open a.toml#table") == TABLE


def test_a_notebook_is_read_as_a_document(readers: DaemonProcess) -> None:
    assert shown(readers, "/open a.yaml") == "# Ants\nThey have [legs](legs.md).\n\n## More"
    assert shown(readers, "/open #more") == "## More"


def test_files_without_a_renderer_are_unaffected(readers: DaemonProcess) -> None:
    assert shown(readers, "/open a.json") == "[1]"
    assert shown(readers, "/open a.txt") == CSV.removesuffix("\n")
    assert "type: application/toml\nsize: 108 bytes" in shown(readers, "/open binary.toml")


def test_files_are_shown_verbatim_without_the_plugin(start_daemon: Start) -> None:
    daemon = with_files(start_daemon())
    assert shown(daemon, "/open a.toml") == CSV.removesuffix("\n")
    assert shown(daemon, "/open a.yaml") == NOTEBOOK
    assert "type: image/png" in shown(daemon, "/open a.png")


def test_rendered_file_keeps_its_text_as_source(readers: DaemonProcess) -> None:
    assert shown(readers, "/open a.toml") == TABLE
    assert shown(readers, "/source") == CSV
    replaced = readers.exec("/replace a.toml\nant,6\n---\nbee,6")
    assert (readers.home / "a.toml").read_text(encoding="utf-8") == CSV.replace("ant", "bee"), (
        replaced.content
    )
    assert "bee" in shown(readers, "/refresh")


class Untyped(BaseHTTPRequestHandler):
    """Sends CSV as a type that says little."""

    def do_GET(self) -> None:
        self.send_response(200)
        kinds = {
            "plain": "text/plain; charset=utf-8",
            "bytes": "application/octet-stream",
            "told": "application/toml",
        }
        self.send_header("Content-Type", kinds[self.path.split("/")[1]])
        self.end_headers()
        self.wfile.write(CSV.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Untyped) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_responses_are_detected_like_files(readers: DaemonProcess, site: str) -> None:
    for path in ("told/a", "plain/a.toml", "bytes/a.toml"):
        assert shown(readers, f"/open {site}/{path}") == TABLE
    assert shown(readers, f"/open {site}/plain/a.txt") == CSV.removesuffix("\n")
