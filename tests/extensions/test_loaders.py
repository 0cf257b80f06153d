"""Loaders of plugins: shortcuts for links to their URIs, and options in listings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.programs import run_stringd

Start = Callable[..., DaemonProcess]
GIT = '''
"""`git:` URIs."""
from stringd.plugin import Document, Link, LoadedBytes, Loader, Outline, Renderer, Zone, hookimpl

async def load(request):
    path = request.uri.partition(":")[2]
    kind = "text/x-outlined" if path == "outlined" else "text/x-marked"
    text = f"# {path}\\n\\nSee [the log](git:log) and [more](plain:more)."
    text += " deep" * ("deep" in request.options.flags)
    return LoadedBytes(uri=request.uri, media_type=kind, body=text.encode(), zone=Zone.LOOPBACK)

def mark(loaded):
    return Document(uri=loaded.uri, title=None, text=loaded.body.decode())

def outline(loaded):
    text = loaded.body.decode()
    start = text.index("[the log]") + 1
    link = Link(
        label_start=start, label_end=start + 7, end=start + 17, label="the log", target="git:log",
    )
    return Document(uri=loaded.uri, title=None, text=text, outline=Outline(links=(link,)))

@hookimpl
def stringd_loaders():
    return [
        Loader(schemes=("git",), load=load, options={"deep": "Goes deep."}),
        Loader(schemes=("plain",), load=load, options={"deep": "Goes deeper."}, named_links=False),
    ]

@hookimpl
def stringd_renderers():
    return [
        Renderer(media_types=("text/x-marked",), render=mark),
        Renderer(media_types=("text/x-outlined",), render=outline),
    ]
'''


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    path = tmp_path / "git.py"
    path.write_text(GIT, encoding="utf-8")
    return path


@pytest.fixture
def git(plugin: Path, start_daemon: Start) -> DaemonProcess:
    daemon = start_daemon("--plugins", str(plugin))
    daemon.register("default", daemon.home)
    return daemon


def shown(daemon: DaemonProcess, cmd: str) -> str:
    reply = daemon.exec(cmd)
    assert reply.head["ok"], reply.content
    return reply.content.partition("---\n")[2]


@pytest.mark.parametrize("page", ["readme", "outlined"])
def test_links_to_loader_uris_get_shortcuts(git: DaemonProcess, page: str) -> None:
    assert "See [the log][@the-log] and [more](plain:more)." in shown(git, f"/open git:{page}")
    assert shown(git, "/open @the-log").startswith("# log\n")


def test_files_link_to_loader_uris_by_shortcut(git: DaemonProcess) -> None:
    (git.home / "a.md").write_text("[Log](git:log), [Site](https://a.example/)\n", encoding="utf-8")
    assert shown(git, "/open a.md") == "[Log][@log], [Site][@site]"
    assert "@log" in shown(git, "/nav page")
    assert shown(git, "/open @log").startswith("# log\n")


def test_link_without_the_plugin_is_shown_verbatim(daemon: DaemonProcess) -> None:
    (daemon.home / "a.md").write_text("[Log](git:log), [App](app:a)\n", encoding="utf-8")
    assert shown(daemon, "/open a.md") == "[Log](git:log), [App](app:a)"


def test_loader_options_are_in_the_help_of_open(git: DaemonProcess) -> None:
    assert shown(git, "/open git:readme --deep").endswith(" deep")
    lines = shown(git, "/help open").split("\n\nOptions for URIs:\n")[1].splitlines()
    assert lines[1:] == ["--deep  git: Goes deep. plain: Goes deeper."]
    assert lines[0].startswith("--browser  http, https: ")
    assert "Options" not in shown(git, "/help refresh")


def test_loader_options_are_in_the_plugin_list(plugin: Path, tmp_path: Path) -> None:
    listed = run_stringd("--plugins", str(plugin), "plugins", "--json", folder=tmp_path)
    adds = {it["name"]: it["adds"] for it in json.loads(listed.stdout)}
    assert "option --deep of /open" in adds["git"]
    assert "option --browser of /open" in adds["web"]
