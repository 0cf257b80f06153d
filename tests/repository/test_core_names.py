"""The core names no topic type, command, subcommand, option, action method or variable of a plugin."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from stringd.config import Config
from stringd.plugin.actions import ActionMethod
from stringd.server.app import make_runtime
from tests.repository.tree import ROOT

CORE = ROOT / "core" / "stringd"
OWN = ("cli", "commands")
# Words that mean something else there: subcommands and options of the programs that shells start, a shell
# in scripts, a modifier of placeholders, a line of `/info`. And the variable of the approval socket, in the
# module with which programs ask there: they import it without the daemon and its plugins.
ALLOWED = {
    "approval.py": {"STRINGD_APPROVAL"},
    "actions/shell/analysis/argument_analysis.py": {"run"},
    "actions/shell/analysis/data_flow.py": {"bash"},
    "actions/shell/analysis/git.py": {"run"},
    "actions/shell/analysis/option_programs.py": {"run"},
    "actions/shell/analysis/programs.py": {"bash", "--cluster"},
    "actions/values/placeholders.py": {"file"},
    "commands/info.py": {"file"},
    "text/topic_names.py": {"file"},
}


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> re.Pattern[str]:
    """Find what the built-in plugins beside the core's own add, as it is written."""
    runtime = make_runtime(Config(data_dir=tmp_path_factory.mktemp("data")))
    theirs = [it for it in runtime.plugins.reports if it.name not in OWN]
    adds = [claim.partition(" of ")[0] for it in theirs for claim in it.adds]
    own = {claim for it in runtime.plugins.reports if it.name in OWN for claim in it.adds}
    types = either(of("topic type ", adds))
    commands = either(of("command /", [it for it in adds if it not in own]))
    subcommands = either(of("subcommand ", adds))
    options = either([*of("option ", adds), *runtime.load_options])
    methods = either(it.name for it in runtime.added(ActionMethod))
    return re.compile(
        # A topic of a type, or the bare name of one; `file://` and `files` are no topics.
        rf"(?<![\w/.-])(?:{types}|python|page):(?!//)[\w{{]|\A(?:{types})\Z"
        rf"|(?<![\w/.*<])/(?:{commands})(?![\w/.])"
        rf"|\bstringd (?:{subcommands})\b"
        rf"|(?<![\w-])(?:{options})(?![\w-])"
        rf"|\bCALL (?:{methods})\b"
        rf"|STRINGD_(?:{either(it.name.upper() for it in theirs)}|BROWSER)(?![A-Z])"
    )


def of(kind: str, claims: Iterable[str]) -> list[str]:
    """Return the names of what plugins add of a kind."""
    return [it.removeprefix(kind) for it in claims if it.startswith(kind)]


def either(names: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, names)))


def texts(path: Path) -> Iterator[str]:
    """Yield every string of a module, docstrings included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


@pytest.mark.parametrize("path", sorted(CORE.rglob("*.py")), ids=lambda it: str(it.relative_to(CORE)))
def test_nothing_of_a_plugin_is_named(path: Path, named: re.Pattern[str]) -> None:
    allowed = ALLOWED.get(path.relative_to(CORE).as_posix(), set())
    assert {match[0] for it in texts(path) for match in named.finditer(it)} == allowed


@pytest.mark.parametrize(
    "text",
    [
        "open app:name",
        "bash:{it}",
        "web",
        "type /install URL",
        "by `stringd console`",
        "`CALL mcp read_file`",
        "such as `--browser`",
        "--web-private never",
        "STRINGD_WEB_KEEP_COOKIES",
        "STRINGD_BASH",
    ],
)
def test_a_name_would_be_found(text: str, named: re.Pattern[str]) -> None:
    assert named.search(text)


@pytest.mark.parametrize(
    "text",
    [
        "file:///x",
        "application",
        "webs",
        "pip install",
        "/usr/bin/install/x",
        "stringd approve",
        "CALL method",
        "STRINGD_PORT",
    ],
)
def test_other_words_are_let_by(text: str, named: re.Pattern[str]) -> None:
    assert not named.search(text)
