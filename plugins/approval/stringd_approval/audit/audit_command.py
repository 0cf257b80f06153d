"""`stringd audit`: show, verify and export the log, with a daemon running or not."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from stringd.plugin import CliCommand
from stringd.plugin.cli import write_output

if TYPE_CHECKING:
    from stringd_approval.audit.verification import ReadLine, Recorded, Verified

_HASH = re.compile(r"[0-9a-f]{64}")
_MOST_SHOWN = 50
_CHAIN = frozenset({"seq", "at", "kind", "prev", "sum"})


def _show(arguments: argparse.Namespace) -> int:
    lines = (it for it in _shown(_lines(arguments)) if arguments.id is None or it[0] == arguments.id)
    shown = deque((text for _, text in lines), maxlen=arguments.number)
    write_output("\n".join(shown) if shown else "no entries")
    return 0


def _verify(arguments: argparse.Namespace) -> int:
    from stringd_approval.audit.recorded_heads import wanted_heads
    from stringd_approval.audit.verification import verify

    # Before the files are read: a daemon may write meanwhile.
    recorded = wanted_heads(arguments.config, arguments.chain, has_files=bool(arguments.files))
    result = verify(_lines(arguments), arguments.since, recorded)
    write_output("\n".join(_report(result, recorded)))
    return 1 if result.fault else 0


def _chains(arguments: argparse.Namespace) -> int:
    from stringd_approval.audit.recorded_heads import describe_chains

    write_output("\n".join(describe_chains(arguments.config)))
    return 0


def _export(arguments: argparse.Namespace) -> int:
    for line in _lines(arguments):
        sys.stdout.buffer.write(line.data)
    sys.stdout.buffer.flush()
    return 0


def _lines(arguments: argparse.Namespace) -> Iterator[ReadLine]:
    from stringd_approval.audit.log_reader import read_files, read_log

    return read_files(arguments.files) if arguments.files else read_log(arguments.config.data_dir)


def _shown(lines: Iterable[ReadLine]) -> Iterator[tuple[object, str]]:
    """Yield each line as text, and the id of its request."""
    from stringd_approval.audit.log_line import parse_line

    for line in lines:
        entry = parse_line(line.data)
        if entry is None:
            yield None, f"{line.place}: an incomplete line of {len(line.data)} bytes"
            continue
        own = {key: value for key, value in entry.fields.items() if key not in _CHAIN}
        text = "  ".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in own.items())
        yield own.get("id"), f"{entry.seq}  {entry.fields.get('at')}  {entry.kind}  {text}".rstrip()


def _report(result: Verified, recorded: Sequence[Recorded]) -> Iterator[str]:
    for place in result.torn:
        yield f"{place}: an incomplete line, which a killed daemon left"
    if result.first > 1:
        yield f"lines 1 to {result.first - 1} are not in these files"
    if result.fault:
        yield result.fault.text
    if result.head.seq < result.first:
        yield "no line is right" if result.fault else "no entries"
    else:
        holds = "right up to" if result.fault else "no fault in"
        yield f"{holds} lines {result.first} to {result.head.seq}; head: {result.head.digest}"
    if recorded and not result.fault:
        yield f"the recorded ends are there: {', '.join(f'{it.chain} to {it.number}' for it in recorded)}"


def _audit(arguments: argparse.Namespace) -> int:
    code: int = arguments.act(arguments)
    return code


def _configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="action", required=True)
    show = actions.add_parser("show", help="show the last entries")
    show.add_argument("-n", "--number", type=_count, default=_MOST_SHOWN, metavar="N", help="how many")
    show.add_argument("--id", metavar="ID", help="only entries of the request with this id")
    show.set_defaults(act=_show)
    verification = actions.add_parser(
        "verify", help="follow the chain of hashes; exit code 1 if a line was tampered with"
    )
    verification.add_argument(
        "--since",
        metavar="HASH",
        type=_digest,
        help="also require the line with this hash, which was noted elsewhere",
    )
    verification.add_argument(
        "--chain",
        metavar="NAME",
        help="the chain of a cluster whose recorded end must be there (default: those of this node)",
    )
    verification.set_defaults(act=_verify)
    chains = actions.add_parser("chains", help="list the recorded ends of the logs of a cluster's nodes")
    chains.set_defaults(act=_chains)
    export = actions.add_parser("export", help="print all lines as they are, the oldest first")
    export.set_defaults(act=_export)
    for it in (show, verification, export):
        it.add_argument(
            "files", nargs="*", type=Path, metavar="FILE", help="files in order, in place of the log"
        )


def _digest(text: str) -> str:
    if not _HASH.fullmatch(text):
        raise argparse.ArgumentTypeError(f"not a SHA-256 of 64 lower-case digits: {text!r}")
    return text


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 10 and int(text)):
        raise argparse.ArgumentTypeError(f"not a number of entries: {text!r}")
    return int(text)


AUDIT = CliCommand(
    name="audit",
    summary="Show, verify or export the log of requests and decisions.",
    configure=_configure,
    run=_audit,
)
