"""`secrets.json`: the `$NAME`s of all users, readable by their owner alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from stringd.api.checks import check_optional_text
from stringd.api.secrets import SecretScope
from stringd.storage.json_file import JsonFile
from stringd.storage.scoped_secrets import ScopedSecrets

FILE = "secrets.json"


class SecretFile(ScopedSecrets):
    """Stores `$NAME`s in a file; implements `SecretStore`."""

    def __init__(self, report: Callable[[str], None]) -> None:
        super().__init__()
        self._file = JsonFile(FILE, report, lost="no $NAME is set", is_secret=True)

    def open(self, data_dir: Path) -> None:
        """Read the values; set aside and report a broken file, without quoting it."""
        self.replace(self._file.read(data_dir, _decoded) or {})

    def close(self) -> None:
        """Do nothing: each change is in the file already."""

    async def write(self, by_scope: Mapping[SecretScope, Mapping[str, str]]) -> None:
        """Write the file."""
        await self._file.write([{**asdict(it), "values": dict(values)} for it, values in by_scope.items()])


def _decoded(records: Iterable[Any]) -> dict[SecretScope, Mapping[str, str]]:
    by_scope: dict[SecretScope, Mapping[str, str]] = {}
    for record in records:
        values = dict(record.pop("values"))
        scope = SecretScope(**record)
        check_optional_text("secret", scope.user_id, scope.owner, scope.config, *values, *values.values())
        by_scope[scope] = values
    return by_scope
