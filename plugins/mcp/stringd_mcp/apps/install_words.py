"""The words behind `/install mcp`: a command, a URL, or a server of a configuration file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from msgspec import Struct, field
from msgspec.structs import replace

from stringd.plugin import ErrorCode, Invocation, Refusal
from stringd.plugin.files import UserFiles
from stringd.plugin.text import nearest, printable
from stringd_mcp.apps.method_names import USAGE
from stringd_mcp.connections.server_description import (
    ServerDescription,
    named_servers,
    read_server,
    remote_server,
)

_END, _ENV, _CONFIG = "--", "--env", "--config"
_ASSIGNMENT = re.compile(r"(?P<name>[A-Za-z_][\w-]*)=(?P<value>.*)", re.ASCII | re.DOTALL)
_REFERENCE = re.compile(r".*\{\$[A-Za-z_]\w*\}.*", re.ASCII | re.DOTALL)
_SECRET_NAME = re.compile(
    r"TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTHORIZATION|(?:^|[_-])(?:API[_-]?)?KEY$", re.IGNORECASE
)
_NOT_IN_VARIABLE = re.compile(r"\W+", re.ASCII)
_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9_]+")
# They run a package that is named behind them.
_RUNNERS = frozenset({"npx", "bunx", "uvx", "pnpm", "yarn", "pipx", "uv", "docker", "podman", "deno", "bun"})
_INTERPRETERS = re.compile(r"(?:python[\d.]*|node|ruby|perl|bash|sh)")
_WORDS_OF_RUNNERS = frozenset({"run", "exec", "dlx", "tool", "x", "--"})
_VALUED = frozenset({"-p", "--package", "--from", "-e", "-v", "--with", "-c"})
_COMMON = re.compile(r"^(?:mcp-server-|server-|mcp-)|(?:-mcp-server|-server|-mcp)$")


class WantedServer(Struct, frozen=True, kw_only=True):
    """The server to install, the name that it suggests, and the secrets that were left out of its file."""

    name: str
    server: ServerDescription
    left_out: tuple[str, ...] = ()


class _Words(Struct):
    """The words by what they are."""

    environment: dict[str, str] = field(default_factory=dict)
    config: str = ""
    others: list[str] = field(default_factory=list)
    command: tuple[str, ...] = ()


def wanted_server(words: Sequence[str], invocation: Invocation) -> WantedServer:
    """Return the server that the words describe, or refuse them; it may block."""
    read = _read(words)
    found = _wanted(read, invocation)
    return replace(found, server=found.server.with_environment(read.environment))


def _wanted(read: _Words, invocation: Invocation) -> WantedServer:
    if read.config:
        if read.command or len(read.others) > 1:
            raise _invalid(f"{_CONFIG} takes a file and the name of a server in it")
        return _configured(read.config, read.others[0] if read.others else None, invocation)
    if read.command:
        if read.others:
            raise _invalid(f"Unknown word before {_END}: {printable(read.others[0])}")
        home = str(invocation.session.user.home)
        # There is no shell that would do this.
        expanded = (home + it[1:] if it == "~" or it.startswith("~/") else it for it in read.command)
        return WantedServer(
            name=_name_of_command(read.command), server=ServerDescription(command=tuple(expanded))
        )
    if len(read.others) != 1:
        raise _invalid(f"A program stands behind {_END}, and a URL alone")
    url = read.others[0]
    if "://" not in url:
        raise _invalid(f"Neither a URL nor {_END} and a command: {printable(url)}")
    return WantedServer(name=_name_of_host(urlsplit(url).hostname or ""), server=remote_server(url))


def _read(words: Sequence[str]) -> _Words:
    read = _Words()
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        if word == _END:
            read.command, waiting = tuple(waiting), []
            if not read.command:
                raise _invalid(f"Nothing stands behind {_END}")
        elif word in {_ENV, _CONFIG}:
            if not waiting:
                raise _invalid(f"{word} needs a value")
            _option(read, word, waiting.pop(0))
        elif word.startswith("-"):
            raise _invalid(f"Unknown option: {printable(word)}")
        else:
            read.others.append(word)
    return read


def _option(read: _Words, option: str, value: str) -> None:
    if option == _CONFIG:
        read.config = value
        return
    found = _ASSIGNMENT.fullmatch(value)
    if found is None:
        raise _invalid(f"{_ENV} takes KEY=VALUE, not {printable(value.partition('=')[0])}")
    name, given = found["name"], found["value"]
    if is_literal_secret(name, given):
        # The words are kept with the app and shown, so they must not hold it.
        raise _invalid(f"{name} looks like a secret: write {_ENV} {name}={{${variable_of(name)}}}")
    read.environment[name] = given


def is_literal_secret(name: str, value: str) -> bool:
    """Return whether the value of a variable or header seems to be a secret, and no reference to one."""
    return bool(_SECRET_NAME.search(name)) and bool(value) and _REFERENCE.fullmatch(value) is None


def variable_of(name: str) -> str:
    """Return the `$NAME`, without its sign, for the value of a variable or header."""
    return _NOT_IN_VARIABLE.sub("_", name).upper()


def _configured(path: str, name: str | None, invocation: Invocation) -> WantedServer:
    text = UserFiles(invocation).content(path).decode(errors="replace")
    try:
        config = json.loads(_without_comments(text))
    except (ValueError, RecursionError) as error:
        raise _invalid(f"{printable(path)} is not JSON: {error}") from None
    entries = named_servers(config)
    if name is None and len(entries) == 1:
        name = next(iter(entries))
    if name is None or name not in entries:
        message = f"{printable(path)} has several servers" if name is None else f"No server {printable(name)}"
        suggestion = nearest(name, entries) if name else None
        hints = [f"nearest: {suggestion}"] if suggestion else []
        known = ", ".join(map(printable, list(entries)[:50]))
        raise Refusal(ErrorCode.INVALID_PARAMS, message, f"servers: {known}", *hints)
    server, left_out = _without_secrets(read_server(entries[name], name))
    return WantedServer(name=_app_name(name), server=server, left_out=left_out)


def _without_secrets(server: ServerDescription) -> tuple[ServerDescription, tuple[str, ...]]:
    """Return a server with references in place of its literal secrets, and their names."""
    found: list[str] = []

    def replaced(values: Mapping[str, str]) -> Mapping[str, str]:
        kept = dict(values)
        for name, value in values.items():
            if is_literal_secret(name, value):
                found.append(variable_of(name))
                kept[name] = f"{{${found[-1]}}}"
        return kept

    clean = replace(server, environment=replaced(server.environment), headers=replaced(server.headers))
    return clean, tuple(found)


def _without_comments(text: str) -> str:
    """Return JSON without the comments and trailing commas that editors allow in configuration files."""
    piece = r'("(?:[^"\\]|\\.)*+")|//[^\n]*|/\*.*?\*/'
    bare = re.sub(piece, lambda found: found[1] or "", text, flags=re.DOTALL)
    return re.sub(r'("(?:[^"\\]|\\.)*+")|,(?=\s*[}\]])', lambda found: found[1] or "", bare, flags=re.DOTALL)


def _name_of_command(command: Sequence[str]) -> str:
    """Return the name of the package or program that a command runs, without what they all have in common."""
    program = PurePosixPath(command[0]).name
    words = list(command[1:])
    if program not in _RUNNERS and not _INTERPRETERS.fullmatch(program):
        return _app_name(program)
    while words:
        word = words.pop(0)
        if word == "-m" and words:
            return _app_name(words[0])
        if word in _VALUED and words:
            words.pop(0)
        elif not word.startswith("-") and word not in _WORDS_OF_RUNNERS:
            package = (
                word.rpartition("/")[2] if not word.endswith((".py", ".js")) else PurePosixPath(word).stem
            )
            return _app_name(package.partition("@")[0].partition("==")[0].partition(":")[0])
    return _app_name(program)


def _name_of_host(host: str) -> str:
    """Return the most telling label of a host, such as `linear` of mcp.linear.app."""
    labels = [it for it in host.split(".") if it not in {"www", "mcp", "api"}]
    if not labels or host.replace(".", "").isdigit() or ":" in host:
        return "server"
    return _app_name(labels[-2] if len(labels) > 1 else labels[0])


def _app_name(name: str) -> str:
    slug = _NOT_IN_NAME.sub("-", name.replace("_", "-")).strip("-").lower()
    return _COMMON.sub("", _COMMON.sub("", slug)).strip("-")[:40] or slug[:40] or "server"


def _invalid(message: str) -> Refusal:
    return Refusal(ErrorCode.INVALID_PAYLOAD, f"{message}.", *(f"Usage: {it}" for it in USAGE.splitlines()))
