"""The plugin of the how-to page works, and the page of the test kit is complete."""

from __future__ import annotations

import inspect
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from stringd.testing.plugin import start_daemon
from stringd.testing.process import DaemonProcess, Events, HttpReply
from tests.docs.blocks import Block, Exchange, blocks, exchanges, pattern
from tests.docs.pages import text_of
from tests.docs.terminal import SHOWN_HOME, as_lines
from tests.extensions.installation import ROOT, Installation
from tests.ports import free_port

PAGE = "docs/how-to/write-a-plugin.md"
KIT = text_of("docs/how-to/test-a-plugin.md")
PATIENCE = 30
pytestmark = [pytest.mark.long, pytest.mark.timeout(240)]


class Reader:
    """Follows the page in a home and an environment that hold nothing but stringd."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        fresh = Installation(folder / "venv")
        fresh.install(ROOT)
        self._environment = fresh.environment | {"HOME": str(self.home), "STRINGD_PORT": str(free_port())}

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-c", command],
            cwd=self.home,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    def follow(self, block: Block) -> None:
        if block.kind == "file":
            path = self.home / block.detail
            path.parent.mkdir(exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.language == "console":
            for exchange in exchanges(block.text):
                self.check(exchange)

    def check(self, exchange: Exchange) -> None:
        finished = self.run(exchange.command)
        said = as_lines(finished.stdout.replace(str(self.home), SHOWN_HOME))
        assert finished.returncode == 0, said
        assert pattern(exchange.shown).fullmatch(said), f"{exchange.command}\n{said}"


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    made = Reader(tmp_path)
    yield made
    # `string` has started the daemon; a test that fails half-way must not leave it behind.
    made.run("stringd shutdown")


def test_plugin_of_the_how_to_works(reader: Reader) -> None:
    page = list(blocks(text_of(PAGE)))
    assert [block.detail for block in page if block.kind == "file"] == [
        "hello.py",
        "stringd-tally/pyproject.toml",
        "stringd-tally/stringd_tally.py",
    ]
    for block in page:
        reader.follow(block)
    assert "stringd check ./stringd-tally" in text_of(PAGE)
    checked = reader.run("stringd check ./stringd-tally")
    assert (checked.returncode, checked.stdout.splitlines()[0]) == (0, "tally (stringd-tally 0.1.0)")


def test_test_kit_page_lists_every_member() -> None:
    described = set(re.findall(r"`(\w+)(?:\([^`]*\))?`", KIT))
    members = {name for name in vars(DaemonProcess) if not name.startswith("_")}
    fields = {field for record in (Events, HttpReply) for field in record.__struct_fields__}
    attributes = {"home", "data_dir", "port", "process"}
    assert members | fields | attributes <= described


def test_test_kit_page_lists_options_of_start_daemon() -> None:
    shown = re.search(r"`start_daemon\(([^`]*)\)`", KIT)
    assert shown
    source = inspect.getsource(inspect.unwrap(start_daemon))
    signature = re.search(r"def start\((.*?)\) ->", source, re.DOTALL)
    assert signature
    options = re.findall(r"^\s+(\w+):", signature[1], re.MULTILINE)
    assert re.findall(r"(\w+)=", shown[1]) == options
