"""Load plugins one by one; an invalid one is reported and skipped as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import pluggy
from msgspec import Struct
from msgspec.structs import replace

from stringd.api.events import CORE_KINDS
from stringd.api.hooks import Hook
from stringd.api.runtime import Runtime
from stringd.api.settings import Settings
from stringd.config import OWN_OPTIONS, Config
from stringd.errors import Fault
from stringd.extensions import hookspecs
from stringd.extensions.catalogue import (
    RECORDS,
    Catalogue,
    Contribution,
    below,
    command_claim,
    option_claim,
    settings_claims,
)
from stringd.extensions.discovery import Candidate, available_plugins, select_plugins
from stringd.extensions.implementations import (
    Unfit,
    Unmet,
    check_implementations,
    import_plugin,
    reported,
    suggest,
)
from stringd.extensions.interceptor_order import in_order
from stringd.extensions.plugin_report import PluginReport
from stringd.extensions.plugin_settings import PluginSettings

_SETTINGS = "stringd_settings"


class Plugins(Struct, frozen=True, kw_only=True, dict=True):
    """The plugins that were loaded, and those that were skipped."""

    catalogue: Catalogue
    settings: PluginSettings
    reports: tuple[PluginReport, ...]
    available: frozenset[str]
    """The names of all installed plugins, selected or not."""

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the plugins that were loaded."""
        return frozenset(it.candidate.name for it in self.reports if not it.skipped)

    def notices(self) -> tuple[str, ...]:
        """Return a line for each plugin that was skipped, and for each command left out, with the reason."""
        skipped = (f"plugin {it.candidate} skipped: {it.skipped}" for it in self.reports if it.skipped)
        left_out = (f"plugin {it.candidate}: {left}" for it in self.reports for left in it.left_out)
        return (*skipped, *left_out)


def load_plugins(
    config: Config,
    runtime: Runtime | None = None,
    *,
    reserved_paths: Iterable[str] = (),
    candidates: Sequence[Candidate] = (),
    until_subcommand: str | None = None,
    settings: PluginSettings | None = None,
) -> Plugins:
    """Load the plugins of a configuration, or only as many as it takes until one adds a subcommand.

    Then those that declare it are loaded first, and those that declare the hooks which they implement.

    Without a runtime, hooks that need one are not called. `candidates` are loaded together with those of the
    configuration, in place of other versions of the same distribution. The values of settings are looked up
    if there is a runtime, which is asked for them in hooks.
    """
    replaced = {it.distribution for it in candidates}
    available = available_plugins(config)
    kept = (it for it in select_plugins(available, config) if it.distribution not in replaced)
    selected = sorted((*kept, *candidates), key=lambda it: until_subcommand not in it.subcommands)
    settings = settings or PluginSettings(config)
    reserved = (*_reserved(reserved_paths), *(f"kind of event {it.kind}" for it in CORE_KINDS))
    loading = _Loading(config, runtime, settings, reserved=reserved)
    reports = loading.take_all(selected, until_subcommand)
    _refuse_named(reports, config)
    if runtime:
        settings.refuse_unknown()
    loading.catalogue.interceptors = in_order(loading.catalogue.interceptors)
    names = frozenset(it.name for it in available)
    return Plugins(catalogue=loading.catalogue, settings=settings, reports=reports, available=names)


def _reserved(paths: Iterable[str]) -> Iterator[str]:
    for option in OWN_OPTIONS:
        yield option_claim(option)
    for path in paths:
        yield f"route {path}"
        yield below(path.split("/")[1])


def _refuse_named(reports: Iterable[PluginReport], config: Config) -> None:
    for report in reports:
        if report.skipped and report.candidate.is_named_in(config):
            raise Fault(f"plugin {report.candidate} can't be loaded: {report.skipped}")


class _Loading:
    """Loads the plugins and tracks the names that they have claimed."""

    def __init__(
        self, config: Config, runtime: Runtime | None, settings: PluginSettings, reserved: Iterable[str]
    ) -> None:
        self.catalogue = Catalogue()
        self._names: dict[str, Candidate] = {}
        self._claimed: dict[str, str] = dict.fromkeys(reserved, "stringd itself")
        self._arguments = {"config": config} | ({"runtime": runtime} if runtime else {})
        self._settings = settings
        self._manager = pluggy.PluginManager(hookspecs.PROJECT)
        self._manager.add_hookspecs(hookspecs)
        self._asked: dict[Candidate, Contribution] = {}
        self._objects: dict[int, Candidate] = {}
        self._modules: dict[Candidate, object] = {}
        self._added_late: dict[Candidate, tuple[str, ...]] = {}
        self._failed_late: dict[Candidate, tuple[str, ...]] = {}

    def take_all(self, candidates: Sequence[Candidate], until: str | None) -> tuple[PluginReport, ...]:
        """Load the plugins in order, except that one that depends on a later one comes after it."""
        reports: dict[Candidate, PluginReport] = {}
        waiting = candidates
        while waiting:
            known = len(self.catalogue.hooks)
            queue = [*waiting]
            while queue and until not in self.catalogue.cli:
                candidate = queue.pop(0)
                report = reports[candidate] = self._report(candidate)
                # Built-in plugins claim names before others do, unless only a subcommand is looked for.
                adding = {it for it in queue if report.waits_for in it.hooks and (until or it.built_in)}
                if adding := adding - reports.keys():
                    queue = sorted((candidate, *queue), key=lambda it: it not in adding)
            if until in self.catalogue.cli:
                return tuple(reports.values())
            waiting = [it for it in waiting if reports[it].waits_for and len(self.catalogue.hooks) != known]
        return tuple(self._without_lost(it) for it in reports.values())

    def _without_lost(self, report: PluginReport) -> PluginReport:
        """Report the commands of a plugin for topic types that no plugin has added as left out."""
        contribution = None if report.skipped else self._asked[report.candidate]
        lost = dict(self._lost_commands(contribution)) if contribution else {}
        late = self._added_late.get(report.candidate, ())
        adds = tuple(claim for claim in (*report.adds, *late) if claim not in lost)
        failed = self._failed_late.get(report.candidate, ())
        return replace(report, adds=adds, left_out=(*lost.values(), *failed))

    def _lost_commands(self, contribution: Contribution) -> Iterator[tuple[str, str]]:
        """Yield claims on commands of topic types that don't exist, each with why it is left out."""
        known = self.catalogue.topic_types
        for record in contribution.commands:
            named = record.topic_types if isinstance(record.topic_types, frozenset) else frozenset()
            for name in sorted(named - known.keys()):
                claim = command_claim(record.name, name)
                yield claim, f"{claim} left out: unknown topic type: {suggest(name, known)}"

    def _known(self) -> tuple[int, int]:
        """Return the number of hooks and kinds of events, on which other plugins may depend."""
        return len(self.catalogue.hooks), len(self.catalogue.event_kinds)

    def _report(self, candidate: Candidate) -> PluginReport:
        try:
            adds = self._take(candidate)
        except Unfit as reason:
            needed = reason.needed if isinstance(reason, Unmet) else ""
            return PluginReport(candidate=candidate, skipped=str(reason), waits_for=needed)
        return PluginReport(candidate=candidate, adds=adds)

    def _take(self, candidate: Candidate) -> tuple[str, ...]:
        self._refuse_taken_name(candidate)
        contribution = self._asked.get(candidate) or self._ask_first(candidate)
        self._check_observed_kinds(contribution)
        claims = self._claim(contribution, candidate)
        self.catalogue.add(contribution)
        self._names[candidate.name] = candidate
        for hook in contribution.hooks:
            self._manager.add_hookspecs(type(hook.name, (), {hook.name: staticmethod(hook.spec)}))
            self._ask_late(hook)
        return (*claims, *contribution.options())

    def _ask_late(self, hook: Hook) -> None:
        """Ask plugins for an optional hook that was added after they were loaded."""
        earlier = [(it, self._modules.get(it)) for it in self._names.values()]
        for candidate, module in earlier:
            if not hasattr(module, hook.name):
                continue
            try:
                self._register(module, candidate)
                records = self._records(hook.name, hook.record)
                late = Contribution(extensions=tuple((hook, it) for it in records))
                claims = self._claim(late, candidate)
                self.catalogue.add(late)
                self._added_late[candidate] = (*self._added_late.get(candidate, ()), *claims)
            except Unfit as reason:
                failed = f"{hook.name} left out: {reason}"
                self._failed_late[candidate] = (*self._failed_late.get(candidate, ()), failed)
            finally:
                if self._manager.is_registered(module):
                    self._manager.unregister(module)

    def _ask_first(self, candidate: Candidate) -> Contribution:
        """Import a plugin and call its hooks, once."""
        module = self._modules[candidate] = import_plugin(candidate)
        self._register(module, candidate)
        try:
            settings = self._declare_settings(candidate)
            contribution = self._asked[candidate] = replace(self._ask(), settings=settings)
        finally:
            # The hooks of the next plugin are called without this one.
            self._manager.unregister(module)
        return contribution

    def _refuse_taken_name(self, candidate: Candidate) -> None:
        holder = self._names.get(candidate.name)
        if holder is not None:
            raise Unfit(f"the name {candidate.name} is taken by {holder}")

    def _register(self, module: object, candidate: Candidate) -> None:
        holder = self._objects.setdefault(id(module), candidate)
        if holder != candidate:
            raise Unfit(f"it is made of the same object as {holder}")
        check_implementations(self._manager, module, [hook.name for hook in self.catalogue.hooks])
        try:
            self._manager.register(module, name=candidate.name)
        except Exception as error:
            self._manager.unregister(name=candidate.name)
            raise Unfit(" ".join(str(error).split())) from error

    def _check_observed_kinds(self, contribution: Contribution) -> None:
        declared = (*self.catalogue.event_kinds, *contribution.event_kinds)
        known = {*(it.kind for it in CORE_KINDS), *(it.name for it in declared)}
        for observer in contribution.observers:
            for kind in sorted(observer.kinds - known):
                hint = suggest(kind, known)
                raise Unmet(f"unknown kind of event {kind} of observer {observer.name}: {hint}", kind)

    def _declare_settings(self, candidate: Candidate) -> tuple[Settings, ...]:
        """Get the declared settings first, since the plugin's other hooks may need them."""
        declared: tuple[Settings, ...] = self._records(_SETTINGS, Settings)
        if len(declared) > 1:
            raise Unfit(f"{_SETTINGS} returned {len(declared)} records; a plugin has one")
        for settings in declared:
            self._settings.declare(candidate.name, settings)
            if "runtime" in self._arguments:
                self._settings.resolve(candidate.name)
        return declared

    def _ask(self) -> Contribution:
        """Call the hooks of the only registered plugin."""
        records = {field: self._records(f"stringd_{field}", kind) for field, kind in self._kinds().items()}
        return Contribution(**records, extensions=tuple(self._extensions()))

    def _extensions(self) -> Iterator[tuple[Hook, Any]]:
        for hook in self.catalogue.hooks:
            for record in self._records(hook.name, hook.record):
                yield hook, record

    def _kinds(self) -> Mapping[str, type]:
        if "runtime" not in self._arguments:
            return RECORDS
        from starlette.routing import BaseRoute

        return {**RECORDS, "routes": BaseRoute}

    def _records(self, hook: str, kind: type) -> tuple[Any, ...]:
        caller = getattr(self._manager.hook, hook)
        wanted = caller.spec.argnames if caller.spec else ()
        if not set(wanted) <= self._arguments.keys():
            return ()
        with reported(hook):
            answers = caller(**{name: self._arguments[name] for name in wanted})
            records = tuple(record for answer in answers for record in answer)
        for record in records:
            if not isinstance(record, kind):
                raise Unfit(f"{hook} returned {record!r} instead of {kind.__name__}")
        return records

    def _claim(self, contribution: Contribution, candidate: Candidate) -> tuple[str, ...]:
        of_settings = (it for each in contribution.settings for it in settings_claims(candidate.name, each))
        claims = (*contribution.claims(), *of_settings)
        for claim in (*claims, *contribution.yields_to()):
            if claim in self._claimed:
                raise Unfit(f"{claim} of {candidate} is already added by {self._claimed[claim]}")
        for claim in claims:
            if claims.count(claim) > 1:
                raise Unfit(f"{claim} is added twice by {candidate}")
        self._claimed |= dict.fromkeys(claims, str(candidate))
        return claims
