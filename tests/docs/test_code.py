"""The code blocks of all pages run, with the output that the pages show."""

from __future__ import annotations

import json
import shutil
import sys
from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.docs.blocks import Block, blocks, exchanges
from tests.docs.pages import NAMES, text_of
from tests.docs.terminal import KILLED, SHOWN_DATABASE, Terminal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.long

RUN = {"console", "python"}
DATA = {"json", "text", "ini", "markdown", "toml", "yaml"}
TUTORIAL = "tutorial/two-nodes.md"
LINK_TO_CLUSTER = f"{TUTORIAL}#2-two-nodes"
CLUSTER = text_of(f"docs/{TUTORIAL}").partition("\n## 3.")[0]
"""The pages with this link go on where this part of the tutorial has ended."""


def runs(block: Block) -> bool:
    return block.language in RUN and block.kind not in {"file", "not run"}


@pytest.mark.parametrize("name", [name for name in NAMES if any(map(runs, blocks(text_of(name))))])
def test_the_code_of_a_page_runs_as_shown(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    found = list(blocks(text_of(name)))
    given = list(blocks(CLUSTER)) if LINK_TO_CLUSTER in text_of(name) else []
    needs_database = any(SHOWN_DATABASE in block.text for block in [*given, *found])
    database: Path | None = request.getfixturevalue("database_folder") if needs_database else None
    if any("curl " in block.text for block in found if runs(block)) and not shutil.which("curl"):
        pytest.skip("this machine has no curl, which the page uses")
    home = tmp_path / "you"
    home.mkdir()
    with Terminal(home, database) as terminal:
        if not needs_database and not any(block.kind in {"own terminal", "person"} for block in found):
            terminal.start_daemon()
        for block in [*given, *found]:
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
        run = runner(block, terminal)
        for exchange in exchanges(block.text):
            run(exchange.command, exchange.shown)


def runner(block: Block, terminal: Terminal) -> Callable[[str, str], None]:
    """What runs the commands of a block."""
    match block.kind:
        case "own terminal":
            return terminal.leave_running
        case "service":
            return partial(terminal.start_service, is_killed=block.detail == KILLED)
        case "person":
            return terminal.seat_person
    return terminal.check


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
