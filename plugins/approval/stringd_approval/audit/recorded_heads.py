"""The ends of logs that are recorded beside their files, for subcommands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stringd.plugin import Config, Fault, HeadRecords, RecordedHead
from stringd.plugin.cli import added
from stringd_approval.audit.verification import Recorded


def wanted_heads(config: Config, chain: str | None, *, has_files: bool) -> Sequence[Recorded]:
    """Return the heads that files must have: those of a chain, or of this node for its own files.

    Raises `Fault` if they can't be read, or nobody has recorded the chain.
    """
    if chain is None and has_files:
        return ()
    found = [it for it in _recorded(config) if (it.is_own if chain is None else _name(it) == chain)]
    if chain is not None and not found:
        raise Fault(f"no head of a chain {chain} is recorded; `stringd audit chains` lists all")
    return [Recorded(chain=_name(it), number=it.number, digest=it.digest) for it in found]


def describe_chains(config: Config) -> Iterator[str]:
    """Yield a line for each recorded chain."""
    recorded = _recorded(config)
    for it in recorded:
        own = "  (this node)" if it.is_own else ""
        yield f"{_name(it)}  entries: {it.number}  at: {it.at}  head: {it.digest}{own}"
    if not recorded:
        yield "no chain is recorded"


def _recorded(config: Config) -> Sequence[RecordedHead]:
    return [it for records in added(config, HeadRecords) for it in records.read()]


def _name(head: RecordedHead) -> str:
    return f"{head.node}/{head.chain}"
