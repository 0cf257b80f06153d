"""`stringd plugins`: the installed plugins, what each adds, and why some are skipped."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from stringd.api.cli import CliCommand
from stringd.cli.output import write_json, write_output

if TYPE_CHECKING:
    from stringd.extensions.registration import PluginReport


def _plugins(arguments: argparse.Namespace) -> int:
    from stringd.server.app import make_runtime

    reports = make_runtime(arguments.config).plugins.reports
    if arguments.json:
        write_json([_as_json(report) for report in reports])
    else:
        write_output("\n".join(line for report in reports for line in _lines(report)))
    return 0


def _lines(report: PluginReport) -> Iterator[str]:
    yield str(report.candidate)
    if report.skipped:
        yield f"    skipped: {report.skipped}"
    else:
        yield f"    adds: {', '.join(report.adds) or 'nothing'}"
        yield from (f"    {it}" for it in report.left_out)


def _as_json(report: PluginReport) -> dict[str, str | Sequence[str] | None]:
    return {
        "name": report.candidate.name,
        "distribution": report.candidate.distribution,
        "version": report.candidate.version,
        "adds": report.adds,
        "left_out": report.left_out,
        "skipped": report.skipped,
    }


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


PLUGINS = CliCommand(
    name="plugins",
    summary="List the installed plugins, what each adds, and why some are skipped.",
    configure=_configure,
    run=_plugins,
)
