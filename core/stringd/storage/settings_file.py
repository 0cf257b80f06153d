"""`config.toml` in the data directory: the settings of plugins."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from stringd.errors import Fault
from stringd.storage.data_directory import StateFile
from stringd.text.toml_statements import NotEditable, line_of, with_value

FILE = "config.toml"
LARGEST = 256 * 1024
_LINE = re.compile(r" \(at line (?P<line>\d+), column \d+\)\Z")


class SettingsFile(Struct, frozen=True, kw_only=True):
    """The parsed file; a missing file counts as empty."""

    path: Path
    text: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)

    def where(self, *keys: str) -> str:
        """Return the file and the line of a value or a section."""
        line = line_of(self.text, keys)
        return f"{self.path}:{line}" if line else str(self.path)

    def write(self, section: str, key: str, value: object) -> None:
        """Replace or add one value in the file and keep the rest, or raise `Fault`."""
        try:
            text = with_value(self.text, (section, key), value)
        except NotEditable as error:
            raise Fault(f"cannot change {section}.{key} in {self.path}: {error}; change it there") from None
        expected = {**self.values, section: {**self.values.get(section, {}), key: _plain(value)}}
        if _parsed(text) != expected:
            raise Fault(f"cannot change {section}.{key} in {self.path}: change it there")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            StateFile(self.path).write(text.encode())
        except OSError as error:
            raise Fault(f"cannot write {self.path}: {error.strerror}") from error


def read_settings(data_dir: Path) -> SettingsFile:
    """Read the file, or raise a `Fault` with the invalid line."""
    path = data_dir / FILE
    try:
        data = StateFile(path).read()
    except FileNotFoundError:
        return SettingsFile(path=path)
    except OSError as error:
        raise Fault(f"cannot read {path}: {error.strerror}") from error
    if len(data) > LARGEST:
        raise Fault(f"cannot read {path}: it is larger than {LARGEST // 1024} KiB")
    try:
        text = data.decode()
        return SettingsFile(path=path, text=text, values=tomllib.loads(text))
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise Fault(f"{path}:{line}: not UTF-8", exit_code=2) from error
    except (ValueError, RecursionError) as error:
        message = str(error)
        found = _LINE.search(message)
        where = f"{path}:{found['line']}" if found else str(path)
        raise Fault(f"{where}: not TOML: {_LINE.sub('', message)}", exit_code=2) from error


def _parsed(text: str) -> Mapping[str, Any] | None:
    try:
        return tomllib.loads(text)
    except ValueError:
        return None


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
