"""Run templates on answers, as the daemon does."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from stringd.actions.answers import Answer
from stringd.actions.templates.template_run import TEMPLATE_MODULES, RenderedTemplate, render
from stringd.actions.values.typed_values import Value
from stringd.errors import Refusal
from stringd.workers.blocking_workers import BlockingWorkers
from stringd.workers.confinement import Seal

WORKERS = BlockingWorkers(Seal.COMPUTING, TEMPLATE_MODULES)


def rendered(
    template: str,
    body: object = "",
    *,
    role: str = "response",
    params: Mapping[str, Value | None] | None = None,
    variables: Mapping[str, str] | None = None,
) -> RenderedTemplate:
    """What a template makes of a body."""
    return WORKERS.wait_for(press(template, body, role=role, params=params, variables=variables))


async def press(
    template: str,
    body: object = "",
    *,
    role: str = "response",
    params: Mapping[str, Value | None] | None = None,
    variables: Mapping[str, str] | None = None,
    owner: str = "default:file:main",
) -> RenderedTemplate:
    """What a template of a topic makes of a body."""
    answer = Answer(status=200, headers={"content-type": "application/json"}, body=body)
    return await render(
        template, role, answer, params or {}, variables or {}, workers=WORKERS.pool, owner=owner
    )


def fault(template: str, body: object = "", *, role: str = "response") -> str:
    """Why a template fails."""
    with pytest.raises(Refusal) as refused:
        rendered(template, body, role=role)
    assert refused.value.code == "TEMPLATE_ERROR"
    return refused.value.message
