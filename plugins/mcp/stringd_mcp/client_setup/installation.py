"""`stringd mcp install`: print the configuration for a client, or merge it into the client's file."""

from __future__ import annotations

import argparse
import os
import re
import stat
import sys
from collections.abc import Collection, Iterator
from itertools import chain, count
from pathlib import Path
from typing import Any

from stringd.plugin import Fault
from stringd.plugin.cli import write_output
from stringd.plugin.files import made_folder, write_atomically
from stringd.plugin.inspection import topic_types
from stringd.plugin.text import nearest
from stringd_mcp.client_setup.agent_identity import agent_home, agent_user
from stringd_mcp.client_setup.client_files import CLIENTS, AgentClient, Entry
from stringd_mcp.client_setup.daemon_settings import daemon_options, left_out
from stringd_mcp.client_setup.json_edit import InvalidFile

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_LARGEST = 64 * 1024 * 1024
_COPY = ".before-stringd"
_MISUSE = 2


def install(arguments: argparse.Namespace) -> int:
    """Print the configuration, or write it; return the exit code."""
    client = CLIENTS[arguments.client]
    if not _NAME.fullmatch(arguments.name):
        raise Fault("--name takes letters, digits, _ and -, at most 64", exit_code=_MISUSE)
    path = arguments.file or client.file()
    entry = client.entry(arguments.name, *_command(arguments))
    note = left_out(arguments)
    if not arguments.write:
        shown = client.format.with_entry("", (client.section, arguments.name), entry)
        head = f"{client.title} reads this from {path}; --write merges it in"
        write_output(f"{head}. {note}\n\n{shown.rstrip()}" if note else f"{head}:\n\n{shown.rstrip()}")
        return 0
    write_output(" ".join(it for it in (_merge(client, path, arguments.name, entry), note) if it))
    return 0


def _command(arguments: argparse.Namespace) -> tuple[str, list[str]]:
    """Return the program, by its whole path since clients have a PATH of their own, and its arguments."""
    program = Path(sys.argv[0]).absolute()
    options = [it for name, value in _options(arguments) for it in (name, value)]
    own = daemon_options(arguments)
    if program.name == "stringd" and os.access(program, os.X_OK):
        return str(program), [*own, "mcp", *options]
    return sys.executable, ["-m", "stringd", *own, "mcp", *options]


def _options(arguments: argparse.Namespace) -> Iterator[tuple[str, str]]:
    if user := agent_user(arguments):
        yield "--user", user
    if home := agent_home(arguments):
        yield "--home", str(home)
    if arguments.topics:
        _check_topics(arguments.topics, topic_types(arguments.config))
        yield "--topics", arguments.topics


def _check_topics(text: str, known: Collection[str]) -> None:
    names = [it.strip() for it in text.split(",") if it.strip()]
    for name in names:
        if name not in known:
            near = nearest(name, known)
            hint = f" (nearest: {near})" if near else f"; there are {', '.join(sorted(known))}"
            raise Fault(f"Unknown topic type: {name}{hint}", exit_code=_MISUSE)
    if not names:
        raise Fault("--topics names no topic type", exit_code=_MISUSE)


def _merge(client: AgentClient, path: Path, name: str, entry: Entry) -> str:
    """Merge the entry into a file, and say what was done; nothing is written unless it can be read again."""
    # What a symbolic link names is changed, and the link kept.
    real = Path(os.path.realpath(path))
    before = _read(path)
    text = before or ""
    where = (client.section, name)
    try:
        old = client.format.parse(text)
        after = client.format.with_entry(text, where, entry)
        _check(client, after, _expected(old, where, entry))
    except InvalidFile as invalid:
        raise Fault(
            f"{path} was not changed: {invalid}. `stringd mcp install` without --write prints what to add."
        ) from None
    if old == _expected(old, where, entry):
        return f"{client.title} is already configured: {path}"
    copy = _write(real, before, after)
    kept = f"; the file before is {copy}" if copy else ""
    return f"{client.title} is configured: {path}{kept}. Restart it to connect."


def _expected(old: Any, where: tuple[str, str], entry: Entry) -> Any:
    """Return what the file must mean afterwards."""
    section, name = where
    if not isinstance(old, dict) or not isinstance(old.get(section) or {}, dict):
        raise InvalidFile(f"`{section}` is not what it should be")
    return {**old, section: {**(old.get(section) or {}), name: dict(entry)}}


def _check(client: AgentClient, text: str, expected: Any) -> None:
    """Raise `InvalidFile` unless a text means what is expected."""
    if client.format.parse(text) != expected:
        raise InvalidFile("its form is unusual")


def _read(path: Path) -> str | None:
    """Return the text of a file; None if there is none."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
            raise Fault(f"{path} is not a file that can be changed")
        # Line ends stay as they are.
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise Fault(f"{path} was not changed: it is not UTF-8") from None


def _write(path: Path, before: str | None, after: str) -> Path | None:
    """Write the file; return where what it was before is kept."""
    if before is None:
        _replace(path, after, 0o600)
        return None
    mode, copy = stat.S_IMODE(path.stat().st_mode), _unused(path)
    _replace(copy, before, mode)
    _replace(path, after, mode)
    return copy


def _unused(path: Path) -> Path:
    """Return the path of the next copy; those of earlier writes stay."""
    names = (f"{path.name}{_COPY}{end}" for end in chain([""], (f"-{it}" for it in count(2))))
    return next(it for name in names if not os.path.lexists(it := path.with_name(name)))


def _replace(path: Path, text: str, mode: int) -> None:
    with made_folder(path.parent) as folder:
        write_atomically(folder, path.name, text.encode("utf-8"), mode=mode)
