"""What is wrong with a template, told without running it."""

from __future__ import annotations

from jinja2 import TemplateSyntaxError

from stringd.actions.templating.recorder import TemplateFault
from stringd.actions.templating.run import data_template, jinja_template
from stringd.documents.outline import Flaw


def template_flaw(template: str, role: str) -> Flaw | None:
    """Return what can't be read in a template of a role, by the lines of the template; None if all can."""
    compiled = jinja_template if role.endswith("j2") else data_template
    try:
        compiled(template)
    except TemplateFault as fault:
        return Flaw(line=fault.line, message=str(fault))
    except TemplateSyntaxError as fault:
        return Flaw(line=fault.lineno, message=fault.message or "")
    except (RecursionError, SyntaxError):
        return Flaw(line=1, message="it is nested too deeply")
    return None
