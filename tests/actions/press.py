"""Templates, run over answers as the daemon does it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from stringd.actions.answers import Answer
from stringd.actions.templates import Rendered, render
from stringd.actions.values import Value
from stringd.errors import Refusal


def rendered(
    template: str,
    body: object = "",
    *,
    role: str = "response",
    params: Mapping[str, Value | None] | None = None,
    variables: Mapping[str, str] | None = None,
) -> Rendered:
    """What a template makes of a body."""
    answer = Answer(status=200, headers={"content-type": "application/json"}, body=body)
    return asyncio.run(render(template, role, answer, params or {}, variables or {}))


def fault(template: str, body: object = "", *, role: str = "response") -> str:
    """Why a template fails."""
    with pytest.raises(Refusal) as refused:
        rendered(template, body, role=role)
    assert refused.value.code == "TEMPLATE_ERROR"
    return refused.value.message
