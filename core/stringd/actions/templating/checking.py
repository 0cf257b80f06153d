"""What is wrong with a template, told without running it."""

from __future__ import annotations

from stringd.actions.templating.workshop import WORKSHOP, Unfinished
from stringd.documents.outline import Flaw


def template_flaw(template: str, role: str) -> Flaw | None:
    """Return what can't be read in a template of a role, by the lines of the template; None if all can.

    Reading one works out what is constant in it, which is as hostile as running it.
    """
    job = {"task": "read", "template": template, "jinja": role.endswith("j2")}
    try:
        made = WORKSHOP.run(job, None)
    except Unfinished as failure:
        return Flaw(line=1, message=str(failure))
    return Flaw(line=made["line"], message=made["error"]) if "error" in made else None
