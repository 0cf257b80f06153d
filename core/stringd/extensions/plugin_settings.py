"""The settings of all plugins, from options, the environment, `config.toml` or defaults."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, TypeVar, cast

from msgspec import Struct

from stringd.api.settings import Setting, Settings, WrongValue, option_of, settings_by_key, variable_of
from stringd.config import Config
from stringd.errors import Fault
from stringd.storage.settings_file import SettingsFile, read_settings
from stringd.text.nearest import nearest
from stringd.text.toml_statements import toml

MISUSE = 2
DEFAULT = "default"
T = TypeVar("T")
_SHOWN = 60


class ResolvedSetting(Struct, frozen=True, kw_only=True):
    """The value of a setting, and where it comes from."""

    name: str
    value: Any
    source: str
    summary: str


class PluginSettings:
    """The declared settings of plugins, and their values in this daemon."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._declared: dict[str, Settings] = {}
        self._records: dict[type, object] = {}

    @cached_property
    def file(self) -> SettingsFile:
        """The settings file; raises `Fault` if it can't be read."""
        return read_settings(self._config.data_dir)

    @property
    def declared(self) -> Mapping[str, Settings]:
        """The declared settings by plugin."""
        return self._declared

    def declare(self, plugin: str, settings: Settings) -> None:
        """Declare a plugin's settings; `resolve` looks up the values."""
        self._declared[plugin] = settings

    def resolve(self, plugin: str) -> None:
        """Look up the values of a plugin's settings, or raise `Fault` for the first invalid one."""
        for problem in self._problems_of(plugin):
            raise Fault(problem, exit_code=MISUSE)
        settings = self._declared[plugin]
        values = {key: self._resolved(plugin, it).value for key, it in settings_by_key(settings).items()}
        self._records[settings.record] = settings.record(**values)

    def of(self, record: type[T]) -> T:
        """Return the settings of a plugin."""
        if record not in self._records:
            raise LookupError(f"no plugin that is loaded has declared the settings {record!r}")
        return cast("T", self._records[record])

    def resolved(self) -> Iterator[ResolvedSetting]:
        """Yield all settings of all plugins; raise `Fault` for an invalid value."""
        for plugin, settings in sorted(self._declared.items()):
            for it in settings_by_key(settings).values():
                yield self._resolved(plugin, it)

    def find(self, name: str) -> tuple[str, Setting]:
        """Return the plugin and the setting of a name such as `web.keep_cookies`, or raise `Fault`."""
        known = {
            f"{plugin}.{key}": (plugin, it)
            for plugin, settings in self._declared.items()
            for key, it in settings_by_key(settings).items()
        }
        if name not in known:
            raise Fault(f"no setting {name}{_did_you_mean(name, known)}", exit_code=MISUSE)
        return known[name]

    def problems(self) -> Iterator[str]:
        """Yield a message for each invalid value of any plugin."""
        yield from self._misplaced()
        for plugin in sorted(self._declared):
            yield from self._problems_of(plugin)
        yield from self.unknown_options()

    def unknown_sections(self, known: Collection[str]) -> Iterator[str]:
        """Yield the sections of the file for unknown plugins, or plugins without settings."""
        for section, values in self.file.values.items():
            if isinstance(values, dict) and section not in self._declared:
                where = self.file.where(section)
                if section in known:
                    yield f"{where}: plugin {section} has no settings, or is not loaded"
                else:
                    yield f"{where}: no plugin {section}{_did_you_mean(section, self._declared)}"

    def refuse_unknown(self) -> None:
        """Raise `Fault` for values of the file outside of sections, and for unknown options."""
        for problem in (*self._misplaced(), *self.unknown_options()):
            raise Fault(problem, exit_code=MISUSE)

    def unknown_options(self) -> Iterator[str]:
        """Yield a message for each unknown option of plugins."""
        known = {
            option
            for plugin, settings in self._declared.items()
            for it in settings_by_key(settings).values()
            if (option := option_of(plugin, it))
        }
        for option, text in self._config.plugin_options:
            if option not in known:
                yield f"unrecognized arguments: {option}{_did_you_mean(option, known)} (see stringd --help)"
            elif text is None:
                yield f"argument {option}: expected one argument (see stringd --help)"

    def _misplaced(self) -> Iterator[str]:
        for key, value in self.file.values.items():
            if not isinstance(value, dict):
                yield (
                    f"{self.file.where(key)}: {key} is outside of a section; "
                    "each plugin has its own, such as [web]"
                )

    def _problems_of(self, plugin: str) -> Iterator[str]:
        settings = settings_by_key(self._declared[plugin])
        section = self.file.values.get(plugin)
        # Those in the file first, in its order.
        for key in dict.fromkeys((*(section if isinstance(section, dict) else ()), *settings)):
            if key not in settings:
                meant = _did_you_mean(key, settings)
                yield f"{self.file.where(plugin, key)}: no setting {plugin}.{key}{meant}"
                continue
            try:
                self._resolved(plugin, settings[key])
            except Fault as fault:
                yield str(fault)

    def _resolved(self, plugin: str, it: Setting) -> ResolvedSetting:
        value, source = self._value(plugin, it)
        return ResolvedSetting(name=f"{plugin}.{it.key}", value=value, source=source, summary=it.summary)

    def _value(self, plugin: str, it: Setting) -> tuple[Any, str]:
        option, variable = option_of(plugin, it), variable_of(plugin, it.key)
        text = dict(self._config.plugin_options).get(option) if option else None
        if option and text is not None:
            return parse_setting(it, text, option), option
        # An empty variable counts as unset.
        if text := os.environ.get(variable):
            return parse_setting(it, text, variable), variable
        section = self.file.values.get(plugin)
        if isinstance(section, dict) and it.key in section:
            where, value = self.file.where(plugin, it.key), section[it.key]
            try:
                return it.check(value), where
            except WrongValue as expected:
                message = f"{where}: {plugin}.{it.key} must be {expected}, not {_shown(value)}"
                raise Fault(message, exit_code=MISUSE) from None
        return it.default, DEFAULT


def settings_of(config: Config, plugin: str, record: type[T]) -> T:
    """Return the settings of a plugin without loading it, or raise `Fault` for an invalid value."""
    settings = PluginSettings(config)
    settings.declare(plugin, Settings(record=record))
    settings.resolve(plugin)
    return settings.of(record)


def parse_setting(it: Setting, text: str, where: str) -> Any:
    """Parse a typed value of a setting, or raise `Fault`."""
    try:
        return it.parse(text)
    except WrongValue as expected:
        raise Fault(f"{where} must be {expected}, not {text!r}", exit_code=MISUSE) from None


def _did_you_mean(name: str, known: Iterable[str]) -> str:
    meant = nearest(name, known)
    return f"; did you mean {meant}?" if meant else ""


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "a table"
    text = toml(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
