"""`stringd check PATH`: every warning about an app, or what a plugin adds and where it fails."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from stringd.plugin import CliCommand, Fault
from stringd.plugin.cli import write_output
from stringd.plugin.text import counted
from stringd_app.entry_document import app_around, app_texts

if TYPE_CHECKING:
    from stringd.plugin.actions import ActionMethod
    from stringd.plugin.documents import Diagnostic
    from stringd.plugin.inspection import Inspection
    from stringd_app.app_checks import Methods

MISUSE = 2


def _run(arguments: argparse.Namespace) -> int:
    path = Path(arguments.path).resolve()
    if not path.exists():
        raise Fault(f"no such file or directory: {arguments.path}", exit_code=MISUSE)
    if path.suffix == ".py" or (path / "pyproject.toml").is_file():
        return _check_plugins(path, arguments)
    root = path if path.is_dir() else app_around(path)
    files = app_texts(root) if path.is_dir() else [path]
    if not files:
        raise Fault(f"no document in {arguments.path}", exit_code=MISUSE)
    methods = _action_methods(arguments)
    found = [(file.relative_to(root), it) for file in files for it in _check(file, root, methods)]
    lines = [f"{file}:{it.line}: {it.message}\n    {it.remedy}" for file, it in found]
    summary = f"{counted(len(files), 'file')}, {counted(len(found), 'warning')}"
    write_output("\n".join((*lines, summary)))
    return 1 if found else 0


def _check_plugins(path: Path, arguments: argparse.Namespace) -> int:
    from stringd.plugin.inspection import inspect_plugin

    found = inspect_plugin(path, arguments.config)
    if not found:
        raise Fault(f"no entry point of stringd.plugins in {arguments.path}/pyproject.toml", exit_code=MISUSE)
    failing = sum(bool(it.report.skipped or it.report.left_out or it.tracebacks) for it in found)
    summary = f"{counted(len(found), 'plugin')}, {failing} failing"
    write_output("\n".join((*(line for it in found for line in _lines(it)), summary)))
    return 1 if failing else 0


def _lines(found: Inspection) -> Iterator[str]:
    yield str(found.report.candidate)
    if found.report.skipped:
        yield f"    skipped: {found.report.skipped}"
    else:
        yield from (f"    adds {it}" for it in found.report.adds or ("nothing",))
        yield from (f"    {it}" for it in found.report.left_out)
    yield from (f"\n{it}" for it in found.tracebacks)


def _check(file: Path, root: Path, methods: Methods) -> list[Diagnostic]:
    # The template languages are slow to import, and no other subcommand needs them.
    from stringd_app.app_checks import check_file

    return check_file(file, root, methods)


def _action_methods(arguments: argparse.Namespace) -> Methods:
    """Return a function that loads all plugins and returns their action methods."""

    @cache
    def load() -> Sequence[ActionMethod]:
        from stringd.plugin.actions import ActionMethod
        from stringd.plugin.inspection import added_records

        return added_records(ActionMethod, arguments.config)

    return load


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", help="a document, the directory of an app, or a plugin")


CHECK = CliCommand(
    name="check",
    summary="Check the documents of an app, or a plugin: a .py file, or a directory with pyproject.toml.",
    configure=_configure,
    run=_run,
)
