"""The chain of the log where heads are kept beside it: its name, and what its files have lost."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path

from stringd.plugin.stores import ChainHead, ChainHeads
from stringd.plugin.workers import STORAGE
from stringd_approval.audit.log_line import Head, digest_of, parse_line
from stringd_approval.audit.reversed_log import read_backwards

log = logging.getLogger(__name__)

FIRST = "approval"
_NEWLINE = b"\n"


class RecordedChain:
    """Keeps the head of the log where whoever changes its files can't change it.

    A log that lacks its recorded head begins a new chain, and leaves the record for verification to find.
    `find_heads` returns where to keep them, or None; it is called once the daemon runs.
    """

    def __init__(self, find_heads: Callable[[], ChainHeads | None], data_dir: Path) -> None:
        self._find_heads = find_heads
        self._data_dir = data_dir
        self._name: str | None = None

    async def record(self, head: Head) -> None:
        """Keep a head, or raise `StorageFailed`; the log has it already."""
        heads = self._find_heads()
        if heads is None or not head.seq:
            return
        if self._name is None:
            self._name = await self._name_of_chain(await heads.heads())
        await heads.record(self._name, ChainHead(number=head.seq, digest=head.digest))

    async def heads(self) -> Mapping[str, ChainHead]:
        """Return the recorded heads of all chains that this log has had, or raise `StorageFailed`."""
        heads = self._find_heads()
        return await heads.heads() if heads else {}

    async def _name_of_chain(self, recorded: Mapping[str, ChainHead]) -> str:
        names = sorted((it for it in recorded if it.partition("-")[0] == FIRST), key=_number)
        if not names:
            return FIRST
        latest = recorded[names[-1]]
        if await STORAGE.run(has_line, self._data_dir, latest):
            return names[-1]
        log.error(
            "the log of requests lacks entry %d, SHA-256 %s, which is recorded as its head: "
            "it was cut off, replaced or written anew",
            latest.number,
            latest.digest,
        )
        return f"{FIRST}-{_number(names[-1]) + 1}"


def has_line(data_dir: Path, head: ChainHead) -> bool:
    """Whether the log in a data directory has the line of a head; raises `Fault`, and blocks."""
    for line in read_backwards(data_dir):
        entry = parse_line(line)
        if entry and entry.seq <= head.number:
            return entry.seq == head.number and digest_of(line + _NEWLINE) == head.digest
    return not head.number


def _number(name: str) -> int:
    number = name.partition("-")[2]
    return int(number) if number.isdecimal() else 1
