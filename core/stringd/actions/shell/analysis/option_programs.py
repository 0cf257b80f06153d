"""Programs that treat their arguments as data, but for a few options or names, which are code to them."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from stringd.actions.shell.analysis.argument_roles import Program
from stringd.actions.shell.analysis.program_descriptions import (
    CODE,
    DATA,
    FILE,
    OPENED,
    RUN,
    SCRIPT,
    each,
    lenient,
    named,
    prefix,
)

# The formats that it reads and writes may be paths of programs in Lua.
_PANDOC = replace(
    lenient(""),
    options={
        **named("--pdf-engine"),
        **named("-F --filter -L --lua-filter", SCRIPT),
        **named("-f --from -r --read -t --to -w --write -d --defaults", SCRIPT),
    },
)
_CMAKE = replace(lenient(""), options=named("-P -C", SCRIPT), operands_after={"-E": RUN}, attached="DUGABSTW")
# `~!command` in a mail is a command to some of them, and so is the address `|command`.
_MAIL = replace(
    lenient("", OPENED, stdin=True),
    options={**named("-s -r -c -b -a -A -q", DATA), **named("-E -S -X -Y --exec")},
)
_START_STOP_DAEMON = replace(
    lenient("", CODE),
    options={
        **named("-x --exec -a --startas"),
        **named("-p --pidfile -u --user -c --chuid -g --group -n --name -d --chdir -s --signal", DATA),
    },
)
_MAKE = Program(
    options={**each("CjlIoW"), **named("-f --file --makefile", SCRIPT), **named("-E --eval")}, operands=CODE
)
_RUN = replace(
    lenient("", RUN),
    options={
        **named("-m --module", SCRIPT),
        **named("-C -n -p --directory --extra --group --name --project --python --spec --with", DATA),
    },
    stops=True,
)
RUNNERS: Mapping[str, tuple[str, Program]] = {
    **dict.fromkeys(("uv", "pipx", "poetry", "pipenv", "pdm", "hatch", "conda", "mamba"), ("run", _RUN)),
    "bundle": ("exec", _RUN),
    **dict.fromkeys(("go", "deno", "bun"), ("run", replace(_RUN, operands=FILE, stdin=True))),
    **dict.fromkeys(("ip", "direnv"), ("exec", prefix(before=1))),
}
"""The word after which a program runs the rest as a command, and how it parses what comes before that."""
OPTION_PROGRAMS: Mapping[str, Program] = {
    "pandoc": _PANDOC,
    "cmake": _CMAKE,
    **dict.fromkeys(("mail", "mailx", "Mail", "s-nail", "nail"), _MAIL),
    **dict.fromkeys(("mutt", "neomutt"), lenient("-e", scripts="-F")),
    "start-stop-daemon": _START_STOP_DAEMON,
    "run-parts": replace(lenient("", SCRIPT), options=named("-a --arg -u --umask --regex", DATA)),
    **dict.fromkeys(("gcc", "g++", "cc", "c++", "cpp", "clang", "clang++", "gfortran"), lenient("-wrapper")),
    "tcpdump": lenient("-z"),
    "nmap": replace(lenient(""), options=named("--script --datadir", SCRIPT)),
    **dict.fromkeys(("ag", "ack", "bat", "batcat"), lenient("--pager")),
    **dict.fromkeys(
        ("yt-dlp", "youtube-dl"),
        lenient(
            "--exec --exec-before-download --downloader --external-downloader --netrc-cmd --plugin-dirs",
            scripts="--config-locations",
        ),
    ),
    **dict.fromkeys(("restic", "rclone"), lenient("--password-command")),
    "aria2c": lenient(
        "--on-download-complete --on-download-error --on-download-pause --on-download-start"
        " --on-download-stop --on-bt-download-complete"
    ),
    "rpm": lenient("-E --eval -D --define --pipe"),
    "exiftool": lenient("-if -p", scripts="-@ -config"),
    **dict.fromkeys(("make", "gmake", "remake"), _MAKE),
    "just": lenient("", scripts="-f --justfile"),
    "ninja": lenient("", scripts="-f"),
}
