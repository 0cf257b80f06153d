"""The settings of a daemon, and parsers for their values."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from stringd.frozen_record import FrozenRecord

DEFAULT_PORT = 3100
LAST_PORT = 65535
FULL_ACCESS = "full"
ACCESS = ("home", FULL_ACCESS)
LOOPBACK = "127.0.0.1"
OWN_OPTIONS = frozenset(
    {
        "--access",
        "--allow-origin",
        "--ca-file",
        "--data-dir",
        "--help",
        "--keep-env",
        "--operator-fd",
        "--plugins",
        "--plugins-dir",
        "--port",
        "--token-file",
        "--url",
        "--version",
        "--without",
    }
)
"""The options of `stringd` that settings of plugins can't have."""
REQUEST_LIMIT = 10 * 1024 * 1024
"""The most bytes of the body of a request to the daemon, or of a message of a WebSocket."""


def parse_port(text: str) -> int | None:
    """Return the port number, which may be 0; None if the text is not a valid port."""
    if text.isascii() and text.isdigit() and len(text) <= len(str(LAST_PORT)) and int(text) <= LAST_PORT:
        return int(text)
    return None


def parse_seconds(text: str) -> float | None:
    """Return a positive, finite number of seconds; None for any other text."""
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if 0 < seconds < float("inf") else None


def is_plugin_file(word: str) -> bool:
    """Whether a word is the path of a single-file plugin rather than the name of an installed one."""
    return "/" in word or word.endswith(".py")


def absolute_plugins(words: Iterable[str]) -> tuple[str, ...]:
    """Return the words with the paths of plugins made absolute."""
    return tuple(str(Path(it).expanduser().absolute()) if is_plugin_file(it) else it for it in words)


def split_names(text: str) -> tuple[str, ...]:
    """Return the elements of a list such as `a,b`."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


class Config(FrozenRecord, frozen=True, kw_only=True, dict=True):
    """The settings of one daemon.

    `access` determines which files document commands may access: those below the user's home and allowed
    paths ("home"), or all ("full"). `plugins` are the names of installed plugins and the paths of single-file
    ones; each file of `plugins_dir` is one, too. `kept_variables` are those of the daemon's environment that
    its shells are given beside the usual ones; `*` in a name stands for anything. The operator's token is
    written to the socket `operator_fd`, if given.
    """

    port: int = DEFAULT_PORT
    data_dir: Path = Path(".stringd")
    plugins: tuple[str, ...] | None = None
    plugins_dir: Path | None = None
    without: tuple[str, ...] = ()
    allowed_origins: frozenset[str] = frozenset()
    access: str = ACCESS[0]
    kept_variables: tuple[str, ...] = ()
    plugin_options: tuple[tuple[str, str | None], ...] = ()
    ping_seconds: float = 15.0
    queue_wait_seconds: float = 60.0
    operator_fd: int | None = None

    def __post_init__(self) -> None:
        # Before the first command asks for it, as all do.
        _ = self.full_access

    @cached_property
    def full_access(self) -> bool:
        """Whether document commands may touch every file."""
        return self.access == FULL_ACCESS
