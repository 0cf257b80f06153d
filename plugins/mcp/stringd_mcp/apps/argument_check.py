"""Check the arguments of a call by the tool's schema, a stranger's: with limits, and without network."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from stringd.plugin import Budget, ErrorCode, Invocation, Refusal, WorkStopped
from stringd.plugin.text import printable
from stringd.plugin.workers import READING

_BUDGET = Budget(seconds=2.0, memory=256 * 1024 * 1024)
_SMALL = 64 * 1024
# Checks of these may take any time, and nothing ends them within the daemon.
_UNBOUNDED = ('"pattern', '"$ref"', '"$dynamicRef"', '"$recursiveRef"', '"uniqueItems"')
_MOST = 10
_LONGEST = 300


async def check_arguments(
    invocation: Invocation, tool: str, schema: Mapping[str, Any], arguments: Mapping[str, Any]
) -> str | None:
    """Refuse arguments that the schema does not allow; return a notice if it cannot be checked."""
    text = json.dumps(schema)
    if len(text) <= _SMALL and not any(it in text for it in _UNBOUNDED):
        flaws = await READING.run(flaws_of, schema, arguments)
    else:
        session = invocation.session
        owner = f"{session.user.id}:{session.name}"
        try:
            flaws = await invocation.runtime.workers.run(
                flaws_of, schema, arguments, owner=owner, budget=_BUDGET
            )
        except WorkStopped:
            return f"[!] The schema of {tool} takes too long, so only the server checks the arguments."
    if flaws is None:
        return f"[!] The schema of {tool} is not valid, so only the server checks the arguments."
    if flaws:
        raise Refusal(ErrorCode.INVALID_PARAMS, f"{tool}: {flaws[0]}", *flaws[1:], f"/act.{tool} --help")
    return None


def flaws_of(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> Sequence[str] | None:
    """Return what is wrong with arguments, each with its path; None if the schema is not one."""
    # Imported here, as this takes long and runs in a thread or a process of its own.
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import validator_for
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    try:
        kind = validator_for(schema, default=Draft202012Validator)
        kind.check_schema(schema)
        # With a registry of its own, no reference is fetched from anywhere.
        found = islice(kind(schema, registry=Registry()).iter_errors(arguments), _MOST)
        return [_flaw(it.absolute_path, it.message) for it in found]
    except (SchemaError, Unresolvable, RecursionError, ValueError, TypeError, LookupError, AttributeError):
        return None


def _flaw(path: Sequence[str | int], message: str) -> str:
    shown = "".join(f"[{it}]" if isinstance(it, int) else f".{it}" for it in path).lstrip(".")
    return printable(f"{shown}: {message}" if shown else message)[:_LONGEST]
