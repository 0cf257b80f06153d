"""The data of plugins for a session: one JSON value each, stored with the session's state."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, MutableMapping
from typing import Any

from stringd.errors import ErrorCode, Refusal
from stringd.text.json_values import TooLarge, decode_json, encode_json

log = logging.getLogger(__name__)

LARGEST = 256 * 1024
# Most sessions have no data, and a dictionary for each of them would cost memory.
_NONE: Mapping[str, str] = {}


class SessionData(MutableMapping[str, Any]):
    """Values by the names of plugins; they cannot be changed in place.

    Values are read from the store when the topic is opened, and only if it has any.
    """

    __slots__ = ("_load", "_plugins", "_saved", "_texts", "_values")

    def __init__(
        self, plugins: Collection[str], load: Callable[[], Awaitable[Mapping[str, str]]] | None = None
    ) -> None:
        self._plugins = plugins
        self._load = load
        self._texts: Mapping[str, str] = _NONE
        self._saved: Mapping[str, str] = self._texts
        self._values: dict[str, Any] = {}

    async def read(self) -> None:
        """Read the stored values once, or raise `StorageFailed`; skip damaged ones."""
        if self._load is None:
            return
        stored = await self._load()
        self._load = None
        for plugin, text in stored.items():
            try:
                self._values[plugin] = decode_json(text)
            except (ValueError, RecursionError) as error:
                log.warning("the data of plugin %s in a topic is damaged and left out: %s", plugin, error)
        self._texts = self._saved = {it: text for it, text in stored.items() if it in self._values}

    def __getitem__(self, plugin: str) -> Any:
        if plugin not in self._values:
            self._values[plugin] = decode_json(self._texts[plugin])
        return self._values[plugin]

    def __setitem__(self, plugin: str, value: object) -> None:
        if plugin not in self._plugins:
            raise ValueError(f"data needs the name of a loaded plugin as its key, not {plugin!r}")
        try:
            text = encode_json(value, f"session.data[{plugin!r}]", LARGEST)
        except TooLarge:
            message = f"The data of plugin {plugin} may take {LARGEST // 1024} KiB for each topic."
            raise Refusal(ErrorCode.TOPIC_FULL, message, "The previous value is kept.") from None
        if self._texts.get(plugin) != text:
            self._texts = {**self._texts, plugin: text}
            self._values.pop(plugin, None)

    def __delitem__(self, plugin: str) -> None:
        texts = dict(self._texts)
        del texts[plugin]
        self._texts = texts
        self._values.pop(plugin, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    def copy_from(self, other: SessionData) -> None:
        """Copy all values of another session."""
        self._texts, self._values = other._texts, dict(other._values)

    @property
    def is_changed(self) -> bool:
        """Whether there are unsaved changes."""
        return self._texts is not self._saved

    def changes(self) -> tuple[Mapping[str, str], Mapping[str, str | None]]:
        """Return all values, and the changes since they were stored; None means removed."""
        texts, saved = self._texts, self._saved
        changed = {it: texts.get(it) for it in {**saved, **texts} if texts.get(it) != saved.get(it)}
        return texts, changed

    def mark_saved(self, texts: Mapping[str, str]) -> None:
        """Note that these values are stored."""
        self._saved = texts

    def revert(self) -> None:
        """Restore the stored values."""
        self._texts = self._saved
        self._values.clear()
