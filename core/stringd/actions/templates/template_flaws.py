"""Check a template without running it."""

from __future__ import annotations

from stringd.actions.templates.jobs import check_template
from stringd.actions.templates.template_run import JINJA, MEMORY, TEMPLATE_MODULES
from stringd.api.workers import Budget
from stringd.documents.syntax.blocks import Flaw
from stringd.errors import WorkStopped
from stringd.workers.blocking import BlockingWorkers
from stringd.workers.confinement import Seal

_BUDGET = Budget(seconds=0.6, memory=MEMORY)
_workers = BlockingWorkers(Seal.COMPUTING, TEMPLATE_MODULES)


def template_flaws(template: str, role: str) -> tuple[Flaw, ...]:
    """Return the flaws of a template, by its lines.

    Compiling a template evaluates its constant expressions, so it is as confined as running one.
    """
    try:
        made = _workers.run(check_template, template, role.endswith(JINJA), budget=_BUDGET)
    except WorkStopped as stopped:
        return (Flaw(line=1, message=str(stopped)),)
    if "error" in made:
        return (Flaw(line=made["line"], message=made["error"]),)
    return tuple(Flaw(line=it, message="it is printed as it stands") for it in made["suspicious_lines"])
