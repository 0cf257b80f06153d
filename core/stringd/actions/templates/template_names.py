"""The names that a template uses, read from its text without compiling it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stringd.actions.templates.template_run import SHORT_LANGUAGE
from stringd.actions.values.placeholders import placeholder_names

Template = tuple[str, str]
"""A template's text and its role."""
# In the short template language, an assignment or a loop defines a name of the template's own.
_DEFINED = re.compile(
    r"^[ \t]*(?:\{(?P<name>[A-Za-z_][\w-]*)\}[ \t]*=|for:[ \t]*(?P<item>\w+))", re.MULTILINE
)
_IN_JINJA = re.compile(
    r"""\b(?P<mapping>vars|params)(?:\.get\()?[.\[ ]*["']?(?P<name>[A-Za-z_]\w*)""", re.ASCII
)


def variables_in(text: str, role: str) -> Iterator[str]:
    """Yield the names that look like variables; a template never gets a variable that is not found here."""
    if role == SHORT_LANGUAGE:
        own = {found["name"] or found["item"] for found in _DEFINED.finditer(text)}
        return (name for name in placeholder_names(text) if name not in own)
    return _in_jinja(text, "vars")


def parameters_in(text: str, role: str) -> Iterator[str]:
    """Yield the names that look like parameters of the action."""
    return placeholder_names(text) if role == SHORT_LANGUAGE else _in_jinja(text, "params")


def _in_jinja(text: str, mapping: str) -> Iterator[str]:
    return (found["name"] for found in _IN_JINJA.finditer(text) if found["mapping"] == mapping)
