"""From what an action brought back to what the agent reads, by its author's template."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from stringd.actions.answers import Answer
from stringd.actions.values import Value


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
    template: str, role: str, answer: Answer, values: Mapping[str, Value], variables: Mapping[str, str]
) -> Rendered:
    """Run a template of a role (`response.j2`, or `response` in the seeds' language) over an answer.

    Whatever is wrong with it, or takes too long, is refused with `TEMPLATE_ERROR`.
    """
    raise NotImplementedError
