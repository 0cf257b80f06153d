"""Which arguments of git it evaluates or runs."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stringd.actions.shell.analysis.argument_roles import Program
from stringd.actions.shell.analysis.program_descriptions import CODE, RUN, each, lenient, named

GIT = Program(
    options={**each("C"), **named("-c --config-env --exec-path")},
    flags="pP",
    operands=RUN,
    stops=True,
    lenient=True,
)
_COMMAND = lenient("--exec --upload-pack --receive-pack --extcmd --open-files-in-pager --config")
_COMMANDS: Mapping[str, Program] = {
    "rebase": lenient("-x --exec"),
    "difftool": lenient("-x --extcmd"),
    "grep": lenient("-O --open-files-in-pager"),
    "clone": lenient("-u --upload-pack -c --config"),
    "send-email": lenient("--to-cmd --cc-cmd --header-cmd --sendmail-cmd --smtp-server"),
    "filter-branch": lenient("", CODE),
}
# The subcommand words after which git runs the rest as a command.
RUNNING: Mapping[str, str] = {"bisect": "run", "submodule": "foreach", "hook": "run"}
# Settings whose value is not a program, a path or another setting.
SETTINGS = re.compile(
    r"(?:user|author|committer|color|push|pull|advice|log|status)\..*|init\.defaultbranch|format\.pretty"
    r"|remote\..*\.(?:url|pushurl|fetch)|branch\..*",
    re.IGNORECASE,
)
READING = frozenset(
    [
        "--get",
        "--get-all",
        "--get-regexp",
        "--list",
        "--remove-section",
        "--unset",
        "--unset-all",
        "-l",
        "get",
        "list",
        "unset",
    ]
)


def command_named(name: str) -> Program:
    """Return how a git subcommand parses its arguments."""
    return _COMMANDS.get(name, _COMMAND)
