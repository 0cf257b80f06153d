"""A JSON file of the data directory: read at start, replaced as a whole with each change."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from stringd.errors import Fault, InvalidBody, StorageFailed
from stringd.storage.data_directory import StateFile, set_aside
from stringd.workers.threads import STORAGE

T = TypeVar("T")

_MALFORMED = (InvalidBody, ValueError, TypeError, KeyError, AttributeError, RecursionError)


class JsonFile:
    """A file that holds one JSON value; a broken one is renamed, reported, and not overwritten.

    The report says what is lost with it, and why it could not be read unless the reason may hold secrets.
    """

    def __init__(
        self, name: str, report: Callable[[str], None], *, lost: str, is_secret: bool = False
    ) -> None:
        self._name = name
        self._report = report
        self._lost = lost
        self._is_secret = is_secret
        self._file = StateFile(Path(name))

    def read(self, data_dir: Path, decode: Callable[[Any], T]) -> T | None:
        """Return the decoded value; None if there is no file, or none that could be decoded."""
        path = data_dir / self._name
        self._file = StateFile(path)
        try:
            return decode(json.loads(self._file.read()))
        except FileNotFoundError:
            return None
        except PermissionError as error:
            raise Fault(f"cannot read {path}: {error.strerror}") from error
        except OSError as error:
            reason = str(error.strerror)
        except _MALFORMED as error:
            reason = str(error)
        kept, why = set_aside(path), "" if self._is_secret else f" ({reason})"
        self._report(f"{path} was broken{why}; it is kept as {kept}, {self._lost}")
        return None

    async def write(self, value: object) -> None:
        """Replace the value, or raise `StorageFailed`."""
        data = json.dumps(value, indent=2, ensure_ascii=False).encode(errors="surrogatepass")
        try:
            await STORAGE.run(self._file.write, data)
        except OSError as error:
            raise StorageFailed(f"cannot write {self._file.path}: {error.strerror}") from error
