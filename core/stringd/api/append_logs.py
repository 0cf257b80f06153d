"""Logs that only grow, and the heads of chains of hashes, for daemons whose state is kept elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from stringd.frozen_record import FrozenRecord

Value = TypeVar("Value")

LONGEST_END = 64 * 1024
"""How many bytes at the end of a log `ends` looks at."""


class LogElsewhere(OSError):
    """A log is now written by another daemon, so that this one may not write it any more."""


class AppendLog(Protocol):
    """The log of one thing, such as a run, which has one writer."""

    @property
    def keeps_all(self) -> bool:
        """Whether everything is kept once it is appended, without `sync`."""

    async def append(self, data: bytes, *, sync: bool, is_over: bool = False) -> None:
        """Append whole lines, all of them or none, and keep them whatever happens if `sync` asks for that.

        `is_over` says that what the log is of has ended with these lines: until then, a node that takes the
        place of this one must see to the owner of the log, even if nobody asks for that.
        Raises `OSError`, which is `LogElsewhere` if the log has another writer now.
        """

    async def close(self) -> None:
        """Close the log; the next line opens it again."""


class AppendLogs(Protocol):
    """Logs by name, each of which belongs to a user; whatever can't be read or written raises `OSError`."""

    def log(self, owner: str, name: str) -> AppendLog:
        """Return a log to append to, which is created with its first line."""

    async def read(self, name: str, parse: Callable[[Iterable[bytes]], Value]) -> Value | None:
        """Return what a function makes of the lines of a log, in a thread; None if there is no such log."""

    async def ends(self, parse: Callable[[bytes], Value], *, owner: str | None = None) -> Mapping[str, Value]:
        """Return what a function makes of the end of each log, by name, in a thread.

        The end is the last line at least, but never more than `LONGEST_END` bytes.

        The logs are those of an owner or all; it may return those of others, too. The function is called once
        for the same bytes. Logs that can't be read are left out.
        """

    async def remove(self, names: Collection[str]) -> None:
        """Remove logs, as far as they exist."""


class ChainHead(FrozenRecord, frozen=True, kw_only=True):
    """The end of a chain of hashes: the number of its last entry, and that entry's hash."""

    number: int
    digest: str


class ChainHeads(Protocol):
    """The heads of the chains of this node, kept where whoever changes its files can't change them.

    Failures raise `StorageFailed`.
    """

    async def record(self, chain: str, head: ChainHead) -> None:
        """Keep the head of a chain, unless a later one of it is kept."""

    async def heads(self) -> Mapping[str, ChainHead]:
        """Return the heads of all chains that this node has, or had, by name."""


class RecordedHead(FrozenRecord, frozen=True, kw_only=True):
    """The head of a chain as it is kept beside its files: of which node, and since when, in UTC."""

    node: str
    chain: str
    number: int
    digest: str
    at: str
    is_own: bool
    """Whether the files of the chain are, or were, in the data directory."""


class HeadRecords(FrozenRecord, frozen=True, kw_only=True):
    """Where the heads of chains are kept, for subcommands: `read` returns those of all nodes, sorted.

    It blocks, and raises `Fault` if they can't be read.
    """

    name: str
    read: Callable[[], Sequence[RecordedHead]]
