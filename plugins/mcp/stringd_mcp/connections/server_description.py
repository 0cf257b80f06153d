"""How an MCP server is reached: a program to start, or a URL; as `mcpServers` of other clients say it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from stringd.plugin import ErrorCode, Refusal
from stringd.plugin.text import WebUrl, printable

_SECRET = re.compile(r"\{\$(?P<name>[A-Za-z_]\w*)\}", re.ASCII)
# What other clients write for a variable of the environment.
_VARIABLE = re.compile(r"\$\{(?:env:)?(?P<name>[A-Za-z_]\w*)\}", re.ASCII)
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_REMOTE_TYPES = frozenset({"http", "streamable-http", "streamableHttp"})


class ServerDescription(Struct, frozen=True, kw_only=True):
    """A server: `command` is a program with its arguments, or else `url` the address of a remote server.

    Values of `environment` and `headers` may contain `{$NAME}`, which stands for a secret of the app.
    """

    command: tuple[str, ...] = ()
    url: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def shown(self) -> str:
        """The whole command line with its variables, or the URL."""
        if self.url:
            return printable(self.url)
        variables = (f"{name}={shlex.quote(value)}" for name, value in self.environment.items())
        return printable(" ".join((*variables, shlex.join(self.command))))

    @property
    def secret_names(self) -> tuple[str, ...]:
        """The `$NAME`s that the server needs."""
        values = (*self.environment.values(), *self.headers.values())
        return tuple(dict.fromkeys(it["name"] for value in values for it in _SECRET.finditer(value)))

    def filled(self, secrets: Mapping[str, str]) -> ServerDescription:
        """Return the description with the values of its secrets, or refuse if one is not set."""
        for name in self.secret_names:
            if not secrets.get(name):
                message = f"${name} is not set: the server needs it."
                raise Refusal(ErrorCode.ENV_REQUIRED, message, f'Set it: /set ${name} = "..."')
        return replace(
            self,
            environment={name: _filled(value, secrets) for name, value in self.environment.items()},
            headers={name: _filled(value, secrets) for name, value in self.headers.items()},
        )

    def with_environment(self, more: Mapping[str, str]) -> ServerDescription:
        """Return the description with further variables; those of a remote server are headers."""
        if self.url:
            return replace(self, headers={**self.headers, **more})
        return replace(self, environment={**self.environment, **more})

    def as_json(self) -> Mapping[str, Any]:
        """Return the entry of `mcpServers` that describes the server."""
        if self.url:
            return {"type": "http", "url": self.url, "headers": dict(self.headers)}
        program, *arguments = self.command
        return {"command": program, "args": arguments, "env": dict(self.environment)}


def remote_server(url: str) -> ServerDescription:
    """Return the server at a URL, or refuse a text that is none."""
    try:
        return ServerDescription(url=str(WebUrl.read(url)))
    except ValueError as error:
        message = f"Not the URL of an MCP server: {printable(url)}: {error}"
        raise Refusal(ErrorCode.INVALID_PARAMS, message) from None


def read_server(entry: object, name: str) -> ServerDescription:
    """Return the server that an entry of `mcpServers` describes, or refuse it with what is wrong."""
    fields = _mapping(entry, name)
    kind, url = fields.get("type"), fields.get("url")
    if kind == "sse":
        message = f"{name} speaks HTTP with SSE of 2024, which is not supported: use its streamable HTTP"
        raise Refusal(ErrorCode.INVALID_PARAMS, message)
    if url is not None or kind in _REMOTE_TYPES:
        headers = _texts(fields.get("headers") or {}, f"{name}.headers")
        return replace(remote_server(_text(url, f"{name}.url")), headers=headers)
    arguments = fields.get("args") or []
    if not isinstance(arguments, list):
        raise _invalid(f"{name}.args", "a list of texts")
    words = (
        _text(fields.get("command"), f"{name}.command"),
        *(_text(it, f"{name}.args") for it in arguments),
    )
    return ServerDescription(
        command=words, environment=_texts(fields.get("env") or {}, f"{name}.env", names=True)
    )


def named_servers(config: object) -> Mapping[str, object]:
    """Return the entries of a configuration file of any client, by their names, or refuse the file."""
    fields = _mapping(config, "the file")
    for key in ("mcpServers", "servers", "mcp_servers", "context_servers"):
        if isinstance(found := fields.get(key), dict) and found:
            return found
    raise _invalid("mcpServers", "an object with the servers by their names")


def _filled(value: str, secrets: Mapping[str, str]) -> str:
    return _SECRET.sub(lambda found: secrets[found["name"]], value)


def _mapping(value: object, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise _invalid(name, "an object")
    return value


def _texts(value: object, name: str, *, names: bool = False) -> Mapping[str, str]:
    texts = {key: _text(it, f"{name}.{key}") for key, it in _mapping(value, name).items()}
    for key in texts:
        if names and not _NAME.fullmatch(key):
            raise _invalid(f"{name}.{printable(key)}", "the name of a variable")
    return texts


def _text(value: object, name: str) -> str:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise _invalid(name, "a text")
    return _VARIABLE.sub(r"{$\g<name>}", value)


def _invalid(name: str, wanted: str) -> Refusal:
    return Refusal(ErrorCode.INVALID_PARAMS, f"{name} must be {wanted}")
