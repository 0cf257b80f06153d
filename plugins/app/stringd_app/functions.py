"""Actions coded in Python: async functions whose typed parameters declare those of the action."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import re
import types
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from msgspec import Struct

from stringd.plugin import ErrorCode, Refusal, RequestRefused, Session, User
from stringd.plugin.actions import ActionFunction, Environment, FunctionRun, Value
from stringd.plugin.documents import Action, Parameter, working_directory
from stringd.plugin.processes import time_limit

log = logging.getLogger(__name__)

PYTHON = "PYTHON"
SECONDS = 180.0
_FAILED = "The action failed unexpectedly; the daemon's log says why."
# These characters are special in a caller's text, but not in a function's default.
_SPECIAL_CHARACTERS = frozenset("{<$@\\")
_ID = re.compile(r"[a-z][a-z0-9_-]*")
_TYPES: Mapping[object, str] = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    Path: "path",
    tuple[str, ...]: "tuple",
    list[str]: "list",
    dict[str, Any]: "json",
}

AppFunction: TypeAlias = Callable[..., Awaitable[object]]


class Param(Struct, frozen=True, kw_only=True):
    """Details of a parameter beside its type: `Annotated[int, Param(description="Days", maximum=7)]`."""

    description: str = ""
    alias: str | None = None
    minimum: float | None = None
    maximum: float | None = None


class Context(Struct, frozen=True, kw_only=True):
    """The context of a call: its user and topic, and the variables and secrets that the app may use there."""

    user: User
    topic: str
    directory: Path
    variables: Mapping[str, str]
    secrets: Mapping[str, str]


class _BoundParameter(Struct, frozen=True, kw_only=True):
    """A parameter, and the conversion of its value to the type of the function's parameter."""

    parameter: Parameter
    convert: Callable[[Value], object]


def read_function(function: AppFunction) -> ActionFunction:
    """Return an async function as an action, or raise `TypeError` for an unsupported parameter."""
    name = getattr(function, "__name__", "")
    if not inspect.iscoroutinefunction(function) or not _ID.fullmatch(name):
        raise TypeError(f"an action needs an async function with a lower-case name, not {function!r}")
    hints = get_type_hints(function, include_extras=True)
    hints.pop("return", None)
    signature = inspect.signature(function).parameters
    context = next((it for it in signature if hints.get(it) is Context), None)
    bound = {it: _bind_parameter(name, signature[it], hints.get(it)) for it in signature if it != context}
    return ActionFunction(
        action=_action(name, tuple(it.parameter for it in bound.values())),
        run=_runner(function, bound, context),
        summary=inspect.getdoc(function) or "",
    )


def _action(name: str, parameters: tuple[Parameter, ...]) -> Action:
    return Action(id=name, method=PYTHON, target="", parameters=parameters, headers=(), body=None, line=0)


def _runner(function: AppFunction, bound: Mapping[str, _BoundParameter], context: str | None) -> FunctionRun:
    async def run(values: Mapping[str, Value], environment: Environment, session: Session) -> object:
        given = {name: bound[name].convert(value) for name, value in values.items() if name in bound}
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
                raise Refusal(
                    ErrorCode.TIMEOUT, f"Still running after {seconds:g} s, so it was ended."
                ) from None
            raise _failed(function, error) from None

    return run


def _failed(function: AppFunction, error: BaseException) -> Refusal:
    """Log the error; the log masks any secrets in it."""
    log.error("%s failed", function.__qualname__, exc_info=error)
    return Refusal(ErrorCode.INTERNAL_ERROR, _FAILED)


def _context(environment: Environment, session: Session) -> Context:
    return Context(
        user=session.user,
        topic=str(session.name),
        directory=working_directory(session),
        variables=environment.variables.values(),
        secrets=dict(environment.secrets),
    )


def _bind_parameter(function: str, parameter: inspect.Parameter, hint: object) -> _BoundParameter:
    where = f"parameter {parameter.name} of {function}"
    if parameter.kind in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY}:
        raise TypeError(f"{where} can't be named by a caller")
    more, wanted = _unwrapped(hint)
    choices = get_args(wanted) if get_origin(wanted) is Literal else ()
    kind = "string" if choices else _TYPES.get(wanted)
    if kind is None or not all(isinstance(choice, str) for choice in choices):
        names = (
            "str, int, float, bool, Path, tuple[str, ...], list[str], dict[str, Any] or a Literal of texts"
        )
        raise TypeError(f"{where} needs one of the types {names}, not {hint!r}")
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
    return _BoundParameter(parameter=read, convert=_converter(parameter.name, wanted))


def _unwrapped(hint: object) -> tuple[Param, object]:
    """Split an annotation into its details and the type; the type of `X | None` is `X`."""
    more, wanted = Param(), hint
    if get_origin(wanted) is Annotated:
        wanted, *details = get_args(wanted)
        more = next((it for it in details if isinstance(it, Param)), more)
    if get_origin(wanted) in {Union, types.UnionType}:
        kinds = [it for it in get_args(wanted) if it is not type(None)]
        wanted = kinds[0] if len(kinds) == 1 else wanted
    return more, wanted


def _default(default: object) -> str | None:
    """Return a default for the schema, or None to leave it to the function."""
    if default is None or isinstance(default, tuple | list | dict):
        return None
    if isinstance(default, bool):
        return str(default).lower()
    return None if _SPECIAL_CHARACTERS & set(str(default)) else str(default)


def _converter(name: str, wanted: object) -> Callable[[Value], object]:
    def whole(value: Value) -> int:
        if not isinstance(value, int):
            raise Refusal(ErrorCode.INVALID_PARAMS, f"{name} expects a whole number, not {value}")
        return int(value)

    def mapping(value: Value) -> object:
        read = json.loads(str(value))
        if not isinstance(read, dict):
            raise Refusal(ErrorCode.INVALID_PARAMS, f"{name} expects a JSON object, not {value}")
        return read

    kinds: Mapping[object, Callable[[Any], object]] = {
        int: whole,
        float: float,
        Path: Path,
        list[str]: list,
        dict[str, Any]: mapping,
    }
    return kinds.get(wanted, lambda value: value)
