"""Inspect plugins that need not be installed: what they add, and where they fail."""

from __future__ import annotations

import inspect
import sys
import tomllib
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib.metadata import EntryPoint
from pathlib import Path
from types import TracebackType
from typing import Any

import pluggy
from msgspec import Struct

from stringd.api.runtime import Runtime
from stringd.config import Config
from stringd.errors import Fault
from stringd.extensions import hookspecs
from stringd.extensions.discovery import GROUP, Candidate, plugin_from_file
from stringd.extensions.plugin_report import PluginReport
from stringd.extensions.plugin_settings import PluginSettings
from stringd.extensions.registration import load_plugins

_PROJECT = "pyproject.toml"


class Inspection(Struct, frozen=True, kw_only=True):
    """The inspection of a plugin: its report, and a traceback for each failure."""

    report: PluginReport
    tracebacks: tuple[str, ...]


def plugins_at(path: Path) -> tuple[Candidate, ...]:
    """Return the plugins of a file or of a distribution's directory, if any."""
    if path.is_file():
        return (plugin_from_file(path),) if path.suffix == ".py" else ()
    try:
        project = tomllib.loads((path / _PROJECT).read_text(encoding="utf-8")).get("project", {})
    except FileNotFoundError:
        return ()
    except (OSError, ValueError) as error:
        raise Fault(f"{path / _PROJECT} cannot be read: {error}", exit_code=2) from error
    points = project.get("entry-points", {}).get(GROUP, {})
    return tuple(
        Candidate(
            name=name,
            distribution=str(project.get("name", path.name)).lower(),
            version=str(project.get("version", "")),
            entry_point=_SourcePoint(path, EntryPoint(name=name, value=value, group=GROUP)),
        )
        for name, value in points.items()
    )


def inspect_plugins(
    candidates: Sequence[Candidate], config: Config, runtime: Runtime, settings: PluginSettings
) -> list[Inspection]:
    """Load plugins together with those of a configuration, and report on each of them.

    `settings` are those that the runtime gives to hooks.
    """
    reports = load_plugins(config, runtime, candidates=candidates, settings=settings).reports
    return [
        Inspection(report=it, tracebacks=tuple(_tracebacks(it.candidate, config, runtime)))
        for it in reports
        if it.candidate in candidates
    ]


class _SourcePoint(Struct, frozen=True):
    """An entry point in the sources of a distribution, which need not be installed."""

    folder: Path
    point: EntryPoint

    def load(self) -> object:
        for folder in (self.folder / "src", self.folder):
            if folder.is_dir() and str(folder) not in sys.path:
                sys.path.insert(0, str(folder))
        return self.point.load()


def _tracebacks(candidate: Candidate, config: Config, runtime: Runtime) -> Iterator[str]:
    """Yield the traceback of a failing import, or else of each hook that fails."""
    modules: list[object] = []
    yield from _failure(lambda: modules.append(candidate.entry_point.load()))
    for module in modules:
        for hook in _hooks(module, {"config": config, "runtime": runtime}):
            yield from _failure(hook)


def _hooks(module: object, arguments: dict[str, object]) -> Iterator[Callable[[], object]]:
    """Yield each implementation of stringd's hooks as a call that returns its records."""
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    for name in dir(module):
        function: Any = getattr(module, name, None)
        if name.startswith("stringd_") and manager.parse_hookimpl_opts(module, name) is not None:
            wanted = inspect.signature(function).parameters
            if wanted.keys() <= arguments.keys():
                yield partial(_records, function, {it: arguments[it] for it in wanted})


def _records(function: Callable[..., Iterable[object]], arguments: dict[str, object]) -> list[object]:
    return list(function(**arguments))


def _failure(work: Callable[[], object]) -> Iterator[str]:
    try:
        work()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        yield "".join(traceback.format_exception(error.with_traceback(_of_plugin(error.__traceback__))))


def _of_plugin(frames: TracebackType | None) -> TracebackType | None:
    """Return the traceback from the first frame in the plugin on."""
    while frames and (_is_ours(frames.tb_frame.f_code.co_filename)):
        frames = frames.tb_next
    return frames


def _is_ours(filename: str) -> bool:
    return Path(filename).parent == Path(__file__).parent or "importlib" in filename
