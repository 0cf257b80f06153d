"""The client of the approval socket: ask for a pipeline, and get what became of it."""

from __future__ import annotations

import base64
import json
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypedDict, Unpack

from msgspec import Struct

from stringd.config import DEFAULT_PORT, parse_port
from stringd.errors import DaemonUnreachable

__all__ = [
    "DaemonUnreachable",
    "Fields",
    "Reply",
    "Stage",
    "default_socket",
    "request",
    "request_async",
    "socket_path",
]

_NAME = "approval.sock"
_WORKING = Path(".stringd")
_REPORT_SECONDS = 5
_PIECE = 1024 * 1024
_LONGEST_PATH = 107


class Fields(TypedDict, total=False):
    """The optional fields of a request; `time` and `host` are added if they are missing."""

    id: str
    session: str
    host: str
    time: str
    reason: str
    env: Mapping[str, str]
    privileged: bool
    forward_agent: bool
    cwd: str


class Stage(Struct, frozen=True, kw_only=True):
    """How a stage ended: -1 and the number of the signal if a signal ended it."""

    exit_code: int
    stderr: bytes = b""
    stderr_truncated: bool = False
    signal: int | None = None


class Reply(Struct, frozen=True, kw_only=True):
    """The reply to a request; `status` is `ok`, `denied`, `timeout` or `error`.

    `ok` means that the pipeline ran, whatever its exit codes. `edited` is the pipeline that ran instead,
    if a person changed it.
    """

    id: str
    status: str
    stages: tuple[Stage, ...] = ()
    stdout: bytes = b""
    stdout_truncated: bool = False
    message: str | None = None
    comment: str | None = None
    edited: tuple[tuple[str, ...], ...] | None = None

    @property
    def ok(self) -> bool:
        """Whether the pipeline ran."""
        return self.status == "ok"


def request(
    pipeline: Sequence[Sequence[str]],
    *,
    path: str | os.PathLike[str] | None = None,
    timeout: float | None = None,
    **fields: Unpack[Fields],
) -> Reply:
    """Ask the daemon at a socket to run a pipeline, such as `[["ls"], ["wc", "-l"]]`, and await the reply.

    Raises `DaemonUnreachable`, or `TimeoutError` after so many seconds; then the request is withdrawn.
    """
    target = socket_path() if path is None else Path(path)
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(timeout)
        with _told_apart(target), _address(target) as address:
            client.connect(address)
            client.sendall(_encode(pipeline, fields))
            with client.makefile("rb") as replies:
                return _decode(replies.readline(), target)


async def request_async(
    pipeline: Sequence[Sequence[str]],
    *,
    path: str | os.PathLike[str] | None = None,
    **fields: Unpack[Fields],
) -> Reply:
    """Do the same as `request` without blocking the event loop; if cancelled, the request is withdrawn."""
    # Programs that only call `request` need not import it.
    import asyncio

    target = socket_path() if path is None else Path(path)
    loop = asyncio.get_running_loop()
    with socket.socket(socket.AF_UNIX) as client:
        client.setblocking(False)
        with _told_apart(target), _address(target) as address:
            await loop.sock_connect(client, address)
            await loop.sock_sendall(client, _encode(pipeline, fields))
            data = bytearray()
            while not data.endswith(b"\n") and (piece := await loop.sock_recv(client, _PIECE)):
                data += piece
            return _decode(bytes(data), target)


def socket_path(data_dir: Path | None = None, port: int | None = None) -> Path:
    """Return where the socket of a daemon is: `STRINGD_APPROVAL_SOCKET`, else the default place."""
    given = os.environ.get("STRINGD_APPROVAL_SOCKET")
    if given:
        return Path(given)
    path = default_socket(data_dir)
    if path != _WORKING / _NAME or path.exists():
        return path
    # Nobody says where the data directory is, and it is not here: the daemon knows.
    if port is None:
        port = parse_port(os.environ.get("STRINGD_PORT") or str(DEFAULT_PORT))
    return (_reported_socket(port) if port else None) or path


def default_socket(data_dir: Path | None = None) -> Path:
    """Return the default place: in `$XDG_RUNTIME_DIR/stringd`, else in the data directory.

    A runtime directory that is missing or belongs to another user is not used.
    """
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR", ""))
    if runtime.is_absolute() and _is_own_directory(runtime):
        return runtime / "stringd" / _NAME
    return (data_dir or Path(os.environ.get("STRINGD_DATA_DIR") or _WORKING)) / _NAME


def _reported_socket(port: int) -> Path | None:
    from http.client import HTTPConnection, HTTPException

    connection = HTTPConnection("127.0.0.1", port, timeout=_REPORT_SECONDS)
    try:
        connection.request("GET", "/status")
        return Path(json.load(connection.getresponse())["approval"]["socket"])
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        return None
    finally:
        connection.close()


def _is_own_directory(path: Path) -> bool:
    try:
        return path.is_dir() and path.stat().st_uid == os.geteuid()
    except OSError:
        return False


@contextmanager
def _told_apart(target: Path) -> Iterator[None]:
    """Raise `DaemonUnreachable` for errors of the connection, but not for those of time."""
    try:
        yield
    except TimeoutError:
        raise
    except OSError as error:
        raise DaemonUnreachable(f"no daemon at {target}: {error.strerror or error}") from error


@contextmanager
def _address(target: Path) -> Iterator[str]:
    """Return the address of a socket; a long one leads through the descriptor of its directory."""
    if len(os.fsencode(target)) <= _LONGEST_PATH:
        yield str(target)
        return
    folder = os.open(target.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{target.name}"
    finally:
        os.close(folder)


def _encode(pipeline: Sequence[Sequence[str]], fields: Fields) -> bytes:
    defaults = {"host": socket.gethostname(), "time": datetime.now(UTC).isoformat()}
    return json.dumps({**defaults, **fields, "pipeline": pipeline}).encode() + b"\n"


def _decode(line: bytes, target: Path) -> Reply:
    try:
        fields: dict[str, Any] = json.loads(line)
        return Reply(
            id=fields["id"],
            status=fields["status"],
            stages=tuple(map(_stage, fields.get("stages", ()))),
            stdout=base64.b64decode(fields.get("stdout", "")),
            stdout_truncated=fields.get("stdout_truncated", False),
            message=fields.get("message"),
            comment=fields.get("comment"),
            edited=tuple(map(tuple, fields["edited"])) if "edited" in fields else None,
        )
    except (ValueError, KeyError, TypeError) as error:
        raise DaemonUnreachable(f"the daemon at {target} has sent no complete reply") from error


def _stage(fields: Mapping[str, Any]) -> Stage:
    return Stage(
        exit_code=fields["exit_code"],
        stderr=base64.b64decode(fields["stderr"]),
        stderr_truncated=fields.get("stderr_truncated", False),
        signal=fields.get("signal"),
    )
