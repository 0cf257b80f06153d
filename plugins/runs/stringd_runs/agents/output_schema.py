"""Answers that have to fit a JSON schema: what the model is told, and what it has said. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from stringd_runs.agents.json_schema import SchemaMismatch, check_value

_FENCED = re.compile(r"\s*```(?:json)?[ \t]*\n(?P<value>.*)\n[ \t]*```\s*", re.DOTALL)


class OutputMismatch(ValueError):
    """An answer does not fit its schema; the text says where and why."""

    @property
    def complaint(self) -> str:
        """What the model is told."""
        return f"Your answer does not fit the JSON schema: {self}. Answer again, with only the JSON value."


def with_schema(system: str, schema: Mapping[str, Any] | None) -> str:
    """Return a system prompt that demands answers of a schema, if there is one."""
    if schema is None:
        return system
    demand = "Answer with one JSON value, without any other text, that fits this JSON schema:\n"
    return "\n\n".join(filter(None, (system, f"{demand}{json.dumps(schema, ensure_ascii=False)}")))


def output_of(text: str, schema: Mapping[str, Any]) -> str:
    """Return the JSON text of an answer, without a fence around it; raise `OutputMismatch`."""
    fenced = _FENCED.fullmatch(text)
    value = (fenced["value"] if fenced else text).strip()
    try:
        check_value(json.loads(value, parse_constant=_refuse_constant), schema)
    except SchemaMismatch as mismatch:
        raise OutputMismatch(str(mismatch)) from None
    except (ValueError, RecursionError) as error:
        raise OutputMismatch(f"it is not JSON ({error})") from None
    return value


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not a JSON value")
