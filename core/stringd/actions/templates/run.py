"""From what an action brought back to what the agent reads, by its author's template."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, field

from stringd.actions.answers import Answer
from stringd.actions.arguments.values import Value, WrittenFloat, WrittenInt, as_text
from stringd.api.workers import Budget, Workers
from stringd.errors import Refusal, WorkStopped

JINJA = "j2"
# The others are imported when something first needs them, and no file can be read by then.
TEMPLATE_MODULES = (
    "stringd.actions.templates.jobs",
    "encodings.unicode_escape",
    "html.entities",
    "jinja2.constants",
    "jinja2.debug",
    "pprint",
    "textwrap",
)
"""What a process imports that templates run in."""
MEMORY = 640 * 1024 * 1024
_SECONDS = 0.6
# A large answer takes its time before the template has even begun.
_SECONDS_PER_BYTE = 0.1 / 1024**2


@dataclass(frozen=True, slots=True, kw_only=True)
class Save:
    """A file that a template asks for; `path` is as the template says it, nothing is written yet."""

    path: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """What a template made of an answer.

    `variables` are to be the topic's, `values` what `@name` stands for from now on (its names come
    without the `@`), `saves` are to be written.
    """

    text: str
    variables: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    saves: tuple[Save, ...] = ()


async def render(
    template: str,
    role: str,
    answer: Answer,
    values: Mapping[str, Value | None],
    variables: Mapping[str, str],
    *,
    workers: Workers,
    owner: str,
) -> Rendered:
    """Run a template of a role (`response.j2`, or `response` in the seeds' language) over an answer.

    `values` are those of all parameters, None where an optional one has none. Whatever is wrong with
    the template, or takes too long, is refused with `TEMPLATE_ERROR`.
    """
    # A process that templates run in must not be needed to start the daemon.
    from stringd.actions.templates.jobs import run

    size = max(len(answer.text), len(answer.data))
    try:
        made = await workers.run(
            run,
            template,
            role.endswith(JINJA),
            {"status": answer.status, "headers": dict(answer.headers), "body": answer.body},
            {name: _plain(value) for name, value in values.items()},
            {name: _text(value) for name, value in values.items()},
            dict(variables),
            owner=owner,
            budget=Budget(seconds=_SECONDS + size * _SECONDS_PER_BYTE, memory=MEMORY),
        )
    except WorkStopped as stopped:
        raise _refusal(str(stopped)) from stopped
    if "error" in made:
        raise _refusal(made["error"])
    return Rendered(
        text=made["text"].strip("\n"),
        variables=made["variables"],
        values={name: _value(value) for name, value in made.get("values", {}).items()},
        saves=tuple(_save(order, answer) for order in made.get("saves", ())),
    )


def _plain(value: Value | None) -> Value | None:
    """Return a value as templates compute with it: a number, however it was written."""
    if isinstance(value, WrittenInt):
        return int(value)
    return float(value) if isinstance(value, WrittenFloat) else value


def _text(value: Value | None) -> str | tuple[str, ...]:
    if value is None:
        return ""
    return value if isinstance(value, tuple) else as_text(value)


def _value(value: str | list[str]) -> str | tuple[str, ...]:
    return value if isinstance(value, str) else tuple(value)


def _save(order: Mapping[str, str], answer: Answer) -> Save:
    text = order["text"]
    if not order["decode"]:
        is_whole = answer.data and text == answer.text
        return Save(path=order["path"], data=answer.data if is_whole else text.encode())
    try:
        return Save(path=order["path"], data=b64decode("".join(text.split()), validate=True))
    except ValueError:
        raise _refusal(f"what is to be saved as {order['path']} is not base64") from None


def _refusal(reason: str) -> Refusal:
    return Refusal("TEMPLATE_ERROR", f"The action has run, but its template failed: {reason}.")
