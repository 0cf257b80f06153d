"""Checks of templates without running them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from stringd.actions.templates.template_run import JINJA, MEMORY, TEMPLATE_MODULES
from stringd.api.workers import Budget, Workers
from stringd.documents.syntax.diagnostics import Diagnostic, DiagnosticCode
from stringd.errors import WorkStopped
from stringd.workers.blocking_workers import BlockingWorkers
from stringd.workers.confinement import Seal

_BUDGET = Budget(seconds=0.6, memory=MEMORY)
_workers = BlockingWorkers(Seal.COMPUTING, TEMPLATE_MODULES)


def check_template(template: str, role: str, subject: str = "") -> tuple[Diagnostic, ...]:
    """Return the diagnostics of a template for a role, by the lines of the template.

    Compiling one evaluates its constants, so it is as dangerous as running it.
    """
    try:
        made = _workers.run(_check(), template, role.endswith(JINJA), budget=_BUDGET)
    except WorkStopped as stopped:
        return (_invalid(1, str(stopped), subject),)
    return _diagnostics(made, subject)


async def check_template_in(
    workers: Workers, owner: str, template: str, role: str, subject: str = ""
) -> tuple[Diagnostic, ...]:
    """Return the same as `check_template`, from a pool of workers."""
    try:
        made = await workers.run(_check(), template, role.endswith(JINJA), owner=owner, budget=_BUDGET)
    except WorkStopped as stopped:
        return (_invalid(1, str(stopped), subject),)
    return _diagnostics(made, subject)


def _check() -> Callable[[str, bool], dict[str, Any]]:
    # Importing Jinja2 takes as long as a tenth of all other modules of the daemon.
    from stringd.actions.templates import jobs

    return jobs.check_template


def _diagnostics(made: Mapping[str, Any], subject: str) -> tuple[Diagnostic, ...]:
    if "error" in made:
        return (_invalid(made["line"], made["error"], subject),)
    return tuple(
        Diagnostic(DiagnosticCode.TEMPLATE_LITERAL, it, {}, subject) for it in made["suspicious_lines"]
    )


def _invalid(line: int, reason: str, subject: str) -> Diagnostic:
    return Diagnostic(DiagnosticCode.TEMPLATE_INVALID, line, {"reason": reason}, subject)
