"""Check a plugin's implementations of hooks, and report what they raise."""

from __future__ import annotations

import inspect
import logging
import traceback
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager

import pluggy

from stringd.errors import Fault
from stringd.extensions import hookspecs
from stringd.extensions.discovery import Candidate
from stringd.text.nearest import nearest

log = logging.getLogger(__name__)

_ORDERING = ("tryfirst", "trylast", "hookwrapper", "wrapper")
_PREFIX = "stringd_"
_HOOKS = tuple(name for name in vars(hookspecs) if name.startswith(_PREFIX))
# Modules that call plugins or validate their records; an error never originates in them.
_OURS = frozenset({"stringd", "pluggy", "importlib", "dataclasses", "contextlib"})


class Unfit(Exception):
    """A plugin that cannot be loaded, and the reason."""


class Unmet(Unfit):
    """A plugin that needs a hook or a kind of events which no plugin has added so far."""

    def __init__(self, reason: str, needed: str) -> None:
        super().__init__(reason)
        self.needed = needed


def suggest(name: str, known: Iterable[str], *, prefix: str = "") -> str:
    """Return a message about an unknown name; all names begin with the prefix."""
    meant = nearest(name.removeprefix(prefix), (it.removeprefix(prefix) for it in known))
    return f"did you mean {prefix}{meant}?" if meant else "no plugin that is loaded adds it"


def import_plugin(candidate: Candidate) -> object:
    """Return the module or the object of a plugin."""
    with reported("import"):
        return candidate.entry_point.load()


def check_implementations(manager: pluggy.PluginManager, plugin: object, added: Collection[str]) -> None:
    """Raise `Unfit` for unknown hooks, and for hook options that pluggy would ignore."""
    for attribute in dir(plugin):
        options = manager.parse_hookimpl_opts(plugin, attribute)
        if options is not None:
            name = options.get("specname") or attribute
            _check_name(name, (*_HOOKS, *added), required=not options.get("optionalhook"))
            _check_kind(name, options, getattr(plugin, attribute))
            _check_parameters(name, getattr(plugin, attribute), getattr(manager.hook, name, None))


def _check_name(name: str, known: Collection[str], *, required: bool) -> None:
    if required and name not in known:
        raise Unmet(f"unknown hook {name}: {suggest(name, known, prefix=_PREFIX)}", name)


def _check_kind(name: str, options: Mapping[str, object], function: object) -> None:
    ordering = next((option for option in _ORDERING if options.get(option)), None)
    if ordering:
        raise Unfit(
            f"{name} is marked with {ordering}, which has no effect: hooks are called plugin by plugin; "
            "interceptors have `before` and `after`, observers `order`"
        )
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise Unfit(f"{name} must be a synchronous function (def, not async def)")


def _check_parameters(name: str, function: object, caller: pluggy.HookCaller | None) -> None:
    if caller is None or caller.spec is None or not callable(function):
        return
    given = caller.spec.argnames
    parameters = inspect.signature(function).parameters.values()
    other = [it.name for it in parameters if it.name not in given and it.default is it.empty]
    if other:
        raise Unfit(f"{name} has no parameter {other[0]}; it may take: {', '.join(given) or 'none'}")


@contextmanager
def reported(what: str) -> Iterator[None]:
    """Convert any exception of a plugin into `Unfit`, with the file and line."""
    try:
        yield
    except (KeyboardInterrupt, Fault):
        raise
    except BaseException as error:
        log.debug("%s failed", what, exc_info=True)
        message = str(error).strip().partition("\n")[0]
        reason = ": ".join(filter(None, (f"{what} failed", type(error).__name__, message)))
        raise Unfit(f"{reason}{_location(error)}") from error


def _location(error: BaseException) -> str:
    """Return the innermost line of the plugin in a traceback; empty if there is none."""
    if isinstance(error, SyntaxError) and error.filename:
        return f" ({error.filename}:{error.lineno})"
    frames = [
        f"{frame.f_code.co_filename}:{line}"
        for frame, line in traceback.walk_tb(error.__traceback__)
        if str(frame.f_globals.get("__name__", "")).partition(".")[0] not in _OURS
        and not frame.f_code.co_filename.startswith("<")
    ]
    return f" ({frames[-1]})" if frames else ""
