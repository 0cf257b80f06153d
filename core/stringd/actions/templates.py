"""From what an action brought back to what the agent reads, by its author's template."""

from __future__ import annotations

import asyncio
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, field

from stringd.actions.answers import Answer
from stringd.actions.templating.workshop import WORKSHOP, Unfinished
from stringd.actions.values import Value, as_text
from stringd.errors import Refusal

JINJA = "j2"


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
) -> Rendered:
    """Run a template of a role (`response.j2`, or `response` in the seeds' language) over an answer.

    `values` are those of all parameters, None where an optional one has none. Whatever is wrong with
    the template, or takes too long, is refused with `TEMPLATE_ERROR`.
    """
    job = {
        "task": "run",
        "template": template,
        "jinja": role.endswith(JINJA),
        "status": answer.status,
        "headers": dict(answer.headers),
        "params": dict(values),
        "texts": {name: _text(value) for name, value in values.items()},
        "variables": dict(variables),
    }
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(WORKSHOP.thread, _rendered, job, answer)


def _rendered(job: Mapping[str, object], answer: Answer) -> Rendered:
    try:
        made = WORKSHOP.run(job, answer.body)
    except Unfinished as failure:
        raise _refusal(str(failure)) from failure
    if "error" in made:
        raise _refusal(made["error"])
    return Rendered(
        text=made["text"].strip("\n"),
        variables=made["variables"],
        values={name: _value(value) for name, value in made.get("values", {}).items()},
        saves=tuple(_save(order, answer) for order in made.get("saves", ())),
    )


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
