"""Actions coded in Python: an async function whose typed parameters are what the action declares."""

from __future__ import annotations

import asyncio
import inspect
import logging
import re
import types
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from stringd.plugin import Refusal, RequestRefused, Session
from stringd.plugin.actions import ActionFunction, Environment, FunctionRun, Value
from stringd.plugin.documents import Action, Parameter, working_directory
from stringd.plugin.processes import time_limit
from stringd_app.context import Context

log = logging.getLogger(__name__)

PYTHON = "PYTHON"
SECONDS = 180.0
_FAILED = "The action failed unexpectedly; the daemon's log says why."
# What a caller's text could mean by them, a function's default does not.
_SIGNS = frozenset("{<$@\\")
_ID = re.compile(r"[a-z][a-z0-9_-]*")
_TYPES: Mapping[object, str] = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    Path: "path",
    tuple[str, ...]: "tuple",
}

AppFunction: TypeAlias = Callable[..., Awaitable[object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Param:
    """What a type can't say of a parameter: `Annotated[int, Param(description="Days", maximum=7)]`."""

    description: str = ""
    alias: str | None = None
    minimum: float | None = None
    maximum: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taken:
    """A parameter, and how its value becomes what the function wants."""

    parameter: Parameter
    convert: Callable[[Value], object]


def read_function(function: AppFunction) -> ActionFunction:
    """Return an async function as an action, or raise `TypeError` where its parameters can't be typed in."""
    name = getattr(function, "__name__", "")
    if not inspect.iscoroutinefunction(function) or not _ID.fullmatch(name):
        raise TypeError(f"an action needs an async function with a lower-case name, not {function!r}")
    hints = get_type_hints(function, include_extras=True)
    hints.pop("return", None)
    signature = inspect.signature(function).parameters
    context = next((it for it in signature if hints.get(it) is Context), None)
    taken = {it: _take(name, signature[it], hints.get(it)) for it in signature if it != context}
    return ActionFunction(
        action=_action(name, tuple(it.parameter for it in taken.values())),
        run=_runner(function, taken, context),
        summary=inspect.getdoc(function) or "",
    )


def _action(name: str, parameters: tuple[Parameter, ...]) -> Action:
    return Action(id=name, method=PYTHON, target="", parameters=parameters, headers=(), body=None, line=0)


def _runner(function: AppFunction, taken: Mapping[str, _Taken], context: str | None) -> FunctionRun:
    async def run(values: Mapping[str, Value], environment: Environment, session: Session) -> object:
        given = {name: taken[name].convert(value) for name, value in values.items() if name in taken}
        if context:
            given[context] = _context(environment, session)
        seconds = time_limit(session.state, SECONDS)
        try:
            async with asyncio.timeout(seconds) as limit:
                return await function(**given)
        except (Refusal, RequestRefused):
            raise
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            if isinstance(error, TimeoutError) and limit.expired():
                raise Refusal("TIMEOUT", f"Still running after {seconds:g} s, so it was ended.") from None
            raise _failed(function, error) from None

    return run


def _failed(function: AppFunction, error: BaseException) -> Refusal:
    """Log what went wrong; the log hides the secrets that the error may have got hold of."""
    log.error("%s failed", function.__qualname__, exc_info=error)
    return Refusal("INTERNAL_ERROR", _FAILED)


def _context(environment: Environment, session: Session) -> Context:
    return Context(
        user=session.user,
        topic=str(session.name),
        directory=working_directory(session),
        variables=environment.variables.values(),
        secrets=dict(environment.secrets),
    )


def _take(function: str, parameter: inspect.Parameter, hint: object) -> _Taken:
    where = f"parameter {parameter.name} of {function}"
    if parameter.kind in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY}:
        raise TypeError(f"{where} can't be named by a caller")
    more, wanted = _unwrapped(hint)
    choices = get_args(wanted) if get_origin(wanted) is Literal else ()
    kind = "string" if choices else _TYPES.get(wanted)
    if kind is None or not all(isinstance(choice, str) for choice in choices):
        names = "str, int, float, bool, Path, tuple[str, ...] or a Literal of texts"
        raise TypeError(f"{where} needs a type out of {names}, not {hint!r}")
    required = parameter.default is parameter.empty
    read = Parameter(
        name=parameter.name,
        alias=more.alias,
        type=kind,
        required=required,
        description=more.description,
        default=None if required else _default(parameter.default),
        minimum=more.minimum,
        maximum=more.maximum,
        choices=choices,
    )
    return _Taken(parameter=read, convert=_converter(parameter.name, wanted))


def _unwrapped(hint: object) -> tuple[Param, object]:
    """Return what is said of a parameter and its type; of `X | None`, that is `X`."""
    more, wanted = Param(), hint
    if get_origin(wanted) is Annotated:
        wanted, *said = get_args(wanted)
        more = next((it for it in said if isinstance(it, Param)), more)
    if get_origin(wanted) in {Union, types.UnionType}:
        kinds = [it for it in get_args(wanted) if it is not type(None)]
        wanted = kinds[0] if len(kinds) == 1 else wanted
    return more, wanted


def _default(default: object) -> str | None:
    """Return a default as the schema shows it; without one there, the function's own one holds."""
    if default is None or isinstance(default, tuple):
        return None
    if isinstance(default, bool):
        return str(default).lower()
    return None if _SIGNS & set(str(default)) else str(default)


def _converter(name: str, wanted: object) -> Callable[[Value], object]:
    def whole(value: Value) -> int:
        if not isinstance(value, int):
            raise Refusal("INVALID_PARAMS", f"{name} expects a whole number, not {value}")
        return int(value)

    kinds: Mapping[object, Callable[[Any], object]] = {int: whole, float: float, Path: Path}
    return kinds.get(wanted, lambda value: value)
