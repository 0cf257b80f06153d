"""Run an author's template on the answer of an action, in a worker process."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from stringd.actions.answers import Answer
from stringd.actions.values.placeholders import placeholder_names
from stringd.actions.values.typed_values import JsonText, Value, WrittenFloat, WrittenInt, as_text
from stringd.api.workers import Budget, Workers
from stringd.errors import ErrorCode, Refusal, WorkStopped

JINJA = "j2"
SHORT_LANGUAGE = "response"
"""The role of templates in the short template language."""
# Python imports most of these lazily, which fails once the worker can no longer read files.
TEMPLATE_MODULES = (
    "stringd.actions.templates.jobs",
    "encodings.unicode_escape",
    "html.entities",
    "jinja2.constants",
    "jinja2.debug",
    "pprint",
    "textwrap",
)
"""The modules that a template worker imports before it is confined."""
MEMORY = 640 * 1024 * 1024
_SECONDS = 0.6
# Decoding a large answer takes time before the template starts.
_SECONDS_PER_BYTE = 0.1 / 1024**2
Template = tuple[str, str]
"""A template's text and its role."""
# In the short template language, an assignment or a loop defines a name of the template's own.
_DEFINED = re.compile(
    r"^[ \t]*(?:\{(?P<name>[A-Za-z_][\w-]*)\}[ \t]*=|for:[ \t]*(?P<item>\w+))", re.MULTILINE
)
_IN_JINJA = re.compile(
    r"""\b(?P<mapping>vars|params)(?:\.get\()?[.\[ ]*["']?(?P<name>[A-Za-z_]\w*)""", re.ASCII
)


class FileToSave(Struct, frozen=True, kw_only=True):
    """A file that a template asks to save; `path` is as the template wrote it."""

    path: str
    data: bytes


class RenderedTemplate(Struct, frozen=True, kw_only=True):
    """The result of a template.

    `variables` are set in the topic, `values` are remembered as `@name` (keyed without the `@`), and `saves`
    are the files to write. `misses_all` means that none of what it shows of the body is in it.
    """

    text: str
    variables: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    saves: tuple[FileToSave, ...] = ()
    misses_all: bool = False


async def render(
    template: str,
    role: str,
    answer: Answer,
    values: Mapping[str, Value | None],
    variables: Mapping[str, str],
    *,
    workers: Workers,
    owner: str,
) -> RenderedTemplate:
    """Run a template on an answer; `role` is `response.j2`, or `response` in the short template language.

    `values` has all parameters, with None for those without a value. Refuse with `TEMPLATE_ERROR` if the
    template fails or exceeds its limits.
    """
    # Importing the job would import Jinja2 into the daemon at startup.
    from stringd.actions.templates.jobs import run_template

    job = (
        run_template,
        template,
        role.endswith(JINJA),
        {"status": answer.status, "headers": dict(answer.headers), "body": answer.body},
        {name: _plain(value) for name, value in values.items()},
        {name: _text(value) for name, value in values.items()},
        dict(variables),
    )
    try:
        made = await workers.run(*job, owner=owner, budget=_budget(answer))
    except WorkStopped as stopped:
        raise _refusal(str(stopped)) from stopped
    if "error" in made:
        raise _refusal(made["error"])
    return _rendered(made, answer)


def _budget(answer: Answer) -> Budget:
    size = max(len(answer.text), len(answer.data))
    return Budget(seconds=_SECONDS + size * _SECONDS_PER_BYTE, memory=MEMORY)


def _rendered(made: Mapping[str, Any], answer: Answer) -> RenderedTemplate:
    """Return what a worker process has made of a template."""
    return RenderedTemplate(
        text=made["text"].strip("\n"),
        variables=made["variables"],
        values={name: _value(value) for name, value in made.get("values", {}).items()},
        saves=tuple(_save(order, answer) for order in made.get("saves", ())),
        misses_all=made["misses_all"],
    )


def _plain(value: Value | None) -> object:
    """Return a value for templates to calculate with: numbers lose their notation, JSON is decoded."""
    if isinstance(value, JsonText):
        return value.value
    if isinstance(value, WrittenInt):
        return int(value)
    return float(value) if isinstance(value, WrittenFloat) else value


def _text(value: Value | None) -> str | tuple[str, ...]:
    if value is None:
        return ""
    return value if isinstance(value, tuple) else as_text(value)


def _value(value: str | list[str]) -> str | tuple[str, ...]:
    return value if isinstance(value, str) else tuple(value)


def _save(order: Mapping[str, str], answer: Answer) -> FileToSave:
    text = order["text"]
    if not order["decode"]:
        is_whole = answer.data and text == answer.text
        return FileToSave(path=order["path"], data=answer.data if is_whole else text.encode())
    try:
        return FileToSave(path=order["path"], data=b64decode("".join(text.split()), validate=True))
    except ValueError:
        raise _refusal(f"what is to be saved as {order['path']} is not base64") from None


def _refusal(reason: str) -> Refusal:
    return Refusal(ErrorCode.TEMPLATE_ERROR, f"The action has run, but its template failed: {reason}.")


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
