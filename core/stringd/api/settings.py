"""The settings of plugins: a frozen dataclass for each plugin, whose fields are declared with `setting`."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from typing import Any, TypeVar, get_type_hints

from stringd.frozen_record import FrozenRecord

T = TypeVar("T")

_MARK = "stringd"
_PARAMETERS = "__dataclass_params__"
_KEY = re.compile(r"[a-z][a-z0-9_]*")
_OPTION = re.compile(r"--[a-z][a-z0-9]*(-[a-z0-9]+)*")
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")
_TRUTH = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}
_TEXTS = tuple[str, ...]


class _Declared(FrozenRecord, frozen=True):
    """The properties of a field in addition to its type and default."""

    summary: str
    unit: str | None
    least: float | None
    most: float | None
    option: bool | str


def setting(
    default: T,
    summary: str,
    *,
    unit: str | None = None,
    least: float | None = None,
    most: float | None = None,
    option: bool | str = False,
) -> T:
    """Declare a field of a settings record: its default, and a summary of one sentence.

    `unit`, `least` and `most` apply to numbers; with `option`, `stringd` has a command-line option for it:
    one with the plugin's name in front, or the given one, such as `--name`.
    """
    declared = _Declared(summary, unit, least, most, option)
    field: T = dataclasses.field(default=default, metadata={_MARK: declared})
    return field


class WrongValue(ValueError):
    """An invalid value of a setting; the text says what the setting must be."""


class Setting(FrozenRecord, frozen=True, kw_only=True, dict=True):
    """One setting of a plugin."""

    key: str
    type: Any
    default: Any
    summary: str
    unit: str | None
    least: float | None
    most: float | None
    option: bool | str

    def check(self, value: object) -> Any:
        """Convert a value from a TOML file for the plugin, or raise `WrongValue`."""
        if isinstance(value, list):
            value = tuple(value)
        if self.type is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if self._is_enum and isinstance(value, str) and value in set(self.type):
            value = self.type(value)
        if not self._fits(value):
            raise WrongValue(self.expected)
        return value

    def parse(self, text: str) -> Any:
        """Convert a typed value, or raise `WrongValue`."""
        value: object = text
        if self.type is bool:
            value = _TRUTH.get(text.strip().lower())
        elif self.type is int:
            value = int(text) if _NUMBER.fullmatch(text.strip()) else None
        elif self.type is float:
            value = _float(text)
        elif self.type == _TEXTS:
            value = tuple(it.strip() for it in text.split(",") if it.strip())
        return self.check(value)

    @cached_property
    def expected(self) -> str:
        """A description of valid values."""
        if self.type is bool:
            return "true or false"
        if self._is_enum:
            return f"one of {', '.join(self.type)}"
        if self.type is str:
            return "a text"
        if self.type == _TEXTS:
            return "a list of texts"
        what = (
            f"a number of {self.unit}" if self.unit else "a whole number" if self.type is int else "a number"
        )
        if self.least is not None and self.most is not None:
            return f"{what} from {self.least} to {self.most}"
        limits = {"least": self.least, "most": self.most}
        return ", ".join([what, *(f"at {it} {limit}" for it, limit in limits.items() if limit is not None)])

    @property
    def _is_enum(self) -> bool:
        return isinstance(self.type, type) and issubclass(self.type, StrEnum)

    def _fits(self, value: object) -> bool:
        if self.type == _TEXTS:
            return isinstance(value, tuple) and all(isinstance(it, str) for it in value)
        if isinstance(value, bool) != (self.type is bool) or not isinstance(value, self.type):
            return False
        if not isinstance(value, int | float) or isinstance(value, bool):
            return True
        is_within = (self.least is None or value >= self.least) and (self.most is None or value <= self.most)
        return math.isfinite(value) and is_within


class Settings(FrozenRecord, frozen=True, kw_only=True):
    """The settings of a plugin: a frozen dataclass, each of whose fields is declared with `setting`."""

    record: type

    def __post_init__(self) -> None:
        for it in settings_by_key(self).values():
            try:
                it.check(it.default)
            except WrongValue as error:
                message = (
                    f"{self.record.__name__}.{it.key} must be {error}, but its default is {it.default!r}"
                )
                raise TypeError(message) from None


def settings_by_key(settings: Settings) -> Mapping[str, Setting]:
    """Return the settings of a plugin by their keys; raise `TypeError` if the record declares none."""
    record: Any = settings.record
    parameters = getattr(record, _PARAMETERS, None)
    if not isinstance(record, type) or parameters is None or not parameters.frozen:
        raise TypeError(f"settings need a frozen dataclass, not {record!r}")
    types = get_type_hints(record)
    return {it.name: _setting(record, it, types[it.name]) for it in dataclasses.fields(record)}


def option_of(plugin: str, it: Setting) -> str | None:
    """Return the command-line option of a setting, if it has one."""
    if isinstance(it.option, str):
        return it.option
    return f"--{plugin}-{it.key}".replace("_", "-").replace(".", "-") if it.option else None


def variable_of(plugin: str, key: str) -> str:
    """Return the environment variable of a setting."""
    return f"STRINGD_{re.sub(r'[^A-Za-z0-9]', '_', f'{plugin}_{key}').upper()}"


def _setting(record: type, field: dataclasses.Field[Any], kind: Any) -> Setting:
    declared = field.metadata.get(_MARK)
    where = f"{record.__name__}.{field.name}"
    if not isinstance(declared, _Declared) or not _KEY.fullmatch(field.name):
        raise TypeError(f"{where} needs a lower-case name and a declaration with setting(default, summary)")
    if isinstance(declared.option, str) and not _OPTION.fullmatch(declared.option):
        raise TypeError(f"{where} needs an option such as --name, not {declared.option!r}")
    is_enum = isinstance(kind, type) and issubclass(kind, StrEnum)
    if kind not in (bool, int, float, str, _TEXTS) and not is_enum:
        raise TypeError(f"{where} must be a bool, int, float, str, tuple[str, ...] or StrEnum, not {kind!r}")
    return Setting(
        key=field.name,
        type=kind,
        default=field.default,
        summary=declared.summary,
        unit=declared.unit,
        least=declared.least,
        most=declared.most,
        option=declared.option,
    )


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
