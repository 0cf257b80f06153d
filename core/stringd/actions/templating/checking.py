"""What is wrong with a template, told without running it."""

from __future__ import annotations

from stringd.actions.templating.workshop import WORKSHOP, Unfinished
from stringd.documents.outline import Flaw


def template_flaws(template: str, role: str) -> tuple[Flaw, ...]:
    """Return what can't be read or meant in a template of a role, by the lines of the template.

    Reading one works out what is constant in it, which is as hostile as running it.
    """
    job = {"task": "read", "template": template, "jinja": role.endswith("j2")}
    try:
        made = WORKSHOP.run(job, None)
    except Unfinished as failure:
        return (Flaw(line=1, message=str(failure)),)
    if "error" in made:
        return (Flaw(line=made["line"], message=made["error"]),)
    return tuple(Flaw(line=it, message="it is printed as it stands") for it in made["doubts"])
