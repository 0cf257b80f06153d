"""The code blocks of all pages run, with the output that the pages show."""

from __future__ import annotations

import json
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from tests.docs.blocks import Block, blocks, exchanges
from tests.docs.pages import NAMES, text_of
from tests.docs.terminal import Terminal

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.long

RUN = {"console", "python"}
DATA = {"json", "text", "ini", "markdown", "toml", "yaml"}


def runs(block: Block) -> bool:
    return block.language in RUN and block.kind not in {"file", "not run"}


@pytest.mark.parametrize("name", [name for name in NAMES if any(map(runs, blocks(text_of(name))))])
def test_the_code_of_a_page_runs_as_shown(name: str, tmp_path: Path) -> None:
    found = list(blocks(text_of(name)))
    if any("curl " in block.text for block in found if runs(block)) and not shutil.which("curl"):
        pytest.skip("this machine has no curl, which the page uses")
    home = tmp_path / "you"
    home.mkdir()
    with Terminal(home) as terminal:
        if not any(block.kind in {"own terminal", "person"} for block in found):
            terminal.start_daemon()
        for block in found:
            if fault := complaint(block, terminal):
                pytest.fail(f"{name}:{block.line}\n{fault}", pytrace=False)
        terminal.close()


def complaint(block: Block, terminal: Terminal) -> str | None:
    """What is wrong with the block, if something is."""
    try:
        follow(block, terminal)
    except (AssertionError, ValueError) as fault:
        return str(fault)
    return None


def follow(block: Block, terminal: Terminal) -> None:
    """Do what the reader of this block does."""
    if block.kind == "file":
        terminal.write(block.detail, block.text)
    elif block.kind == "typed":
        terminal.type(block.detail, block.text)
    elif block.kind == "then":
        terminal.wait_for_service(block.text)
    elif runs(block) and block.language == "python":
        terminal.write("block.py", block.text)
        terminal.check(f"{sys.executable} block.py", "...\n")
    elif runs(block):
        run = {
            "own terminal": terminal.leave_running,
            "service": terminal.start_service,
            "person": terminal.seat_person,
        }.get(block.kind, terminal.check)
        for exchange in exchanges(block.text):
            run(exchange.command, exchange.shown)


@pytest.mark.parametrize("name", NAMES)
def test_every_block_has_a_language(name: str) -> None:
    for block in blocks(text_of(name)):
        assert block.language in RUN | DATA, f"{name}:{block.line}: {block.language or 'no language'}"
        assert block.kind != "not run" or block.detail, f"{name}:{block.line}: not run, but why?"
        assert block.language in RUN or "\n$ " not in f"\n{block.text}", f"{name}:{block.line}: use console"


@pytest.mark.parametrize("name", NAMES)
def test_every_json_block_parses(name: str) -> None:
    for block in blocks(text_of(name)):
        if block.language == "json":
            assert json.loads(block.text) is not None, f"{name}:{block.line}"
