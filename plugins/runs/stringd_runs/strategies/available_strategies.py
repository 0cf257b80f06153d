"""The strategies that `list_strategies` offers: the files in the folder `strategies` of a user's home."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

from stringd.plugin import Refusal, Runtime, User
from stringd.plugin.files import HomeFiles
from stringd.plugin.workers import STORAGE
from stringd_runs.strategies.strategy_format import StrategyFormat
from stringd_runs.strategies.strategy_formats import FORMATS

FOLDER = "strategies"
_MOST_FILES = 10_000


class AvailableStrategies:
    """Lists the strategies in a user's folder by their file names, without reading them."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        formats = (*FORMATS, *runtime.added(StrategyFormat))
        self._suffixes = tuple(suffix for it in formats for suffix in it.suffixes)

    async def listed(self, user: User) -> Sequence[Mapping[str, str]]:
        """Return the name of each strategy that is not hidden, and its path in the home."""
        return await STORAGE.run(self._list, user)

    def _list(self, user: User) -> Sequence[Mapping[str, str]]:
        try:
            folder = HomeFiles(user, self._runtime).resolve(FOLDER)
            found = sorted(it.name for it in islice(folder.iterdir(), _MOST_FILES) if it.is_file())
        except (Refusal, OSError):
            return ()
        shown = (name for name in found if not name.startswith("."))
        return [self._entry(name) for name in shown if name.lower().endswith(self._suffixes)]

    def _entry(self, name: str) -> Mapping[str, str]:
        longest = max((it for it in self._suffixes if name.lower().endswith(it)), key=len)
        return {"name": name[: -len(longest)], "path": str(Path(FOLDER, name))}
