"""What is wrong with a template, told without running it."""

from __future__ import annotations

from stringd.actions.templates.jobs import read
from stringd.actions.templates.run import JINJA, MEMORY, TEMPLATE_MODULES
from stringd.api.workers import Budget
from stringd.documents.syntax.blocks import Flaw
from stringd.errors import WorkStopped
from stringd.workers.blocking import BlockingWorkers
from stringd.workers.confinement import Seal

_BUDGET = Budget(seconds=0.6, memory=MEMORY)
_workers = BlockingWorkers(Seal.COMPUTING, TEMPLATE_MODULES)


def template_flaws(template: str, role: str) -> tuple[Flaw, ...]:
    """Return what can't be read or meant in a template of a role, by the lines of the template.

    Reading one works out what is constant in it, which is as hostile as running it.
    """
    try:
        made = _workers.run(read, template, role.endswith(JINJA), budget=_BUDGET)
    except WorkStopped as stopped:
        return (Flaw(line=1, message=str(stopped)),)
    if "error" in made:
        return (Flaw(line=made["line"], message=made["error"]),)
    return tuple(Flaw(line=it, message="it is printed as it stands") for it in made["doubts"])
