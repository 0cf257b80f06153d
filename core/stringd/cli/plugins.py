"""`stringd plugins`: the installed plugins, what each adds, and why some are skipped."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from stringd.api.cli import CliCommand
from stringd.processes.standard_streams import write_json, write_output

if TYPE_CHECKING:
    from stringd.extensions.plugin_report import PluginReport

_INTERCEPTOR = "interceptor "


def _plugins(arguments: argparse.Namespace) -> int:
    from stringd.server.app import make_runtime

    plugins = make_runtime(arguments.config).plugins
    order = [it.name for it in plugins.catalogue.interceptors]
    if arguments.json:
        write_json([_as_json(report, order) for report in plugins.reports])
    else:
        lines = [line for report in plugins.reports for line in _lines(report)]
        write_output("\n".join([*lines, *_order_line(order)]))
    return 0


def _order_line(order: Sequence[str]) -> Iterator[str]:
    if order:
        yield f"interceptors, the outermost first: {', '.join(order)}"


def _lines(report: PluginReport) -> Iterator[str]:
    yield str(report.candidate)
    if report.skipped:
        yield f"    skipped: {report.skipped}"
    else:
        yield f"    adds: {', '.join(report.adds) or 'nothing'}"
        yield from (f"    {it}" for it in report.left_out)


def _as_json(report: PluginReport, order: Sequence[str]) -> dict[str, object]:
    own = [it.removeprefix(_INTERCEPTOR) for it in report.adds if it.startswith(_INTERCEPTOR)]
    return {
        "name": report.candidate.name,
        "distribution": report.candidate.distribution,
        "version": report.candidate.version,
        "adds": report.adds,
        "left_out": report.left_out,
        "skipped": report.skipped,
        "interceptors": {name: order.index(name) + 1 for name in own},
    }


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


PLUGINS = CliCommand(
    name="plugins",
    summary="List the installed plugins, what each adds, and why some are skipped.",
    configure=_configure,
    run=_plugins,
)
