"""Loading plugins one by one: a bad one is named, reported and left out, and takes nothing with it."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pluggy

from stringd.api.cli import CliCommand
from stringd.api.commands import Command, Interceptor, Observer
from stringd.api.documents import Loader, Renderer
from stringd.api.hooks import Hook
from stringd.api.runtime import Runtime, Service
from stringd.api.topics import TopicType
from stringd.config import Config
from stringd.errors import Fault
from stringd.extensions import hookspecs
from stringd.extensions.catalogue import Catalogue, Contribution, below
from stringd.extensions.discovery import Candidate, available_plugins, select_plugins

log = logging.getLogger(__name__)

_RECORDS: Mapping[str, type] = {
    "topic_types": TopicType,
    "commands": Command,
    "loaders": Loader,
    "renderers": Renderer,
    "services": Service,
    "interceptors": Interceptor,
    "observers": Observer,
    "cli": CliCommand,
    "hooks": Hook,
}


class Unfit(Exception):
    """A plugin that can't be taken in, and why."""


class UnknownHook(Unfit):
    """A plugin that implements a hook which no plugin has brought so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginReport:
    """What became of a plugin: what it adds, or why it was skipped."""

    candidate: Candidate
    adds: tuple[str, ...] = ()
    skipped: str | None = None
    waits: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugins:
    """The outcome of a start's loading."""

    catalogue: Catalogue
    reports: tuple[PluginReport, ...]

    def skipped(self) -> tuple[str, ...]:
        """Say of each plugin that was left out why it was."""
        return tuple(f"plugin {it.candidate} skipped: {it.skipped}" for it in self.reports if it.skipped)


def load_plugins(
    config: Config,
    runtime: Runtime | None = None,
    *,
    reserved_paths: Iterable[str] = (),
    candidates: Sequence[Candidate] = (),
) -> Plugins:
    """Load what the configuration asks for. Without a daemon, what needs one is not asked for.

    `candidates` are loaded beside them, in place of other versions of the same distribution.
    """
    replaced = {it.distribution for it in candidates}
    chosen = select_plugins(available_plugins(config), config)
    selected = (*(it for it in chosen if it.distribution not in replaced), *candidates)
    host = _Host(config, runtime, reserved=_reserved(reserved_paths))
    reports = host.take_all(selected)
    _refuse_named(reports, config)
    return Plugins(catalogue=host.catalogue, reports=reports)


def _reserved(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        yield f"route {path}"
        yield below(path.split("/")[1])


def _refuse_named(reports: Iterable[PluginReport], config: Config) -> None:
    for report in reports:
        if report.skipped and report.candidate.is_named_in(config):
            raise Fault(f"plugin {report.candidate} can't be loaded: {report.skipped}")


class _Host:
    """One start's pluggy manager and the claims made so far."""

    def __init__(self, config: Config, runtime: Runtime | None, reserved: Iterable[str]) -> None:
        self.catalogue = Catalogue()
        self._names: dict[str, Candidate] = {}
        self._claimed: dict[str, str] = dict.fromkeys(reserved, "stringd itself")
        self._arguments = {"config": config} | ({"runtime": runtime} if runtime else {})
        self._manager = pluggy.PluginManager(hookspecs.PROJECT)
        self._manager.add_hookspecs(hookspecs)

    def take_all(self, candidates: Sequence[Candidate]) -> tuple[PluginReport, ...]:
        """Take the plugins in their order; one whose hook a later one brings is taken behind that."""
        reports = {candidate: self._report(candidate) for candidate in candidates}
        known = None
        while known != len(self.catalogue.hooks):
            known = len(self.catalogue.hooks)
            reports |= {it: self._report(it) for it, report in reports.items() if report.waits}
        return tuple(reports.values())

    def _report(self, candidate: Candidate) -> PluginReport:
        try:
            adds = self._take(candidate)
        except Unfit as reason:
            waits = isinstance(reason, UnknownHook)
            return PluginReport(candidate=candidate, skipped=str(reason), waits=waits)
        return PluginReport(candidate=candidate, adds=adds)

    def _take(self, candidate: Candidate) -> tuple[str, ...]:
        self._refuse_taken_name(candidate)
        module = _import(candidate)
        self._register(module, candidate.name)
        try:
            contribution = self._ask(module)
            claims = self._claim(contribution, candidate)
        except Unfit:
            self._manager.unregister(module)
            raise
        self.catalogue.add(contribution)
        self._names[candidate.name] = candidate
        for hook in contribution.hooks:
            self._manager.add_hookspecs(type(hook.name, (), {hook.name: staticmethod(hook.spec)}))
        return (*claims, *contribution.options())

    def _refuse_taken_name(self, candidate: Candidate) -> None:
        holder = self._names.get(candidate.name)
        if holder is not None:
            raise Unfit(f"the name {candidate.name} is taken by {holder}")

    def _register(self, module: object, name: str) -> None:
        if self._manager.is_registered(module):
            raise Unfit("another plugin is made of the same object")
        refused: type[Unfit] = Unfit
        try:
            self._manager.register(module, name=name)
            refused = UnknownHook
            self._manager.check_pending()
        except Exception as error:
            self._manager.unregister(name=name)
            raise refused(" ".join(str(error).split())) from error

    def _ask(self, module: object) -> Contribution:
        others = [plugin for plugin in self._manager.get_plugins() if plugin is not module]
        kinds = self._kinds().items()
        records = {field: self._records(f"stringd_{field}", kind, others) for field, kind in kinds}
        return Contribution(**records, extensions=tuple(self._extensions(others)))

    def _extensions(self, others: Sequence[object]) -> Iterator[tuple[Hook, Any]]:
        for hook in self.catalogue.hooks:
            for record in self._records(hook.name, hook.record, others):
                yield hook, record

    def _kinds(self) -> Mapping[str, type]:
        if "runtime" not in self._arguments:
            return _RECORDS
        from starlette.routing import BaseRoute

        return {**_RECORDS, "routes": BaseRoute}

    def _records(self, hook: str, kind: type, others: Sequence[object]) -> tuple[Any, ...]:
        caller = self._manager.subset_hook_caller(hook, others)
        wanted = caller.spec.argnames if caller.spec else ()
        if not set(wanted) <= self._arguments.keys():
            return ()
        with _running(hook):
            answers = caller(**{name: self._arguments[name] for name in wanted})
            records = tuple(record for answer in answers for record in answer)
        for record in records:
            if not isinstance(record, kind):
                raise Unfit(f"{hook} returned {record!r} instead of {kind.__name__}")
        return records

    def _claim(self, contribution: Contribution, candidate: Candidate) -> tuple[str, ...]:
        claims = tuple(contribution.claims())
        for claim in (*claims, *contribution.yields_to()):
            if claim in self._claimed:
                raise Unfit(f"{claim} of {candidate} is already added by {self._claimed[claim]}")
        for claim in claims:
            if claims.count(claim) > 1:
                raise Unfit(f"{claim} is added twice by {candidate}")
        self._claimed |= dict.fromkeys(claims, str(candidate))
        return claims


def _import(candidate: Candidate) -> object:
    with _running("import"):
        return candidate.entry_point.load()


@contextmanager
def _running(what: str) -> Iterator[None]:
    try:
        yield
    except (KeyboardInterrupt, Fault):
        raise
    except BaseException as error:
        log.debug("%s failed", what, exc_info=True)
        message = str(error).strip().partition("\n")[0]
        raise Unfit(": ".join(filter(None, (f"{what} failed", type(error).__name__, message)))) from error
