"""Fields of `/health` and `/status` that plugins add."""

from __future__ import annotations

from collections.abc import Callable

from stringd.api.checks import check_key, check_sync
from stringd.frozen_record import FrozenRecord

CORE_FIELDS = frozenset(
    {"ok", "users", "sessions", "version", "pid", "data_dir", "plugins", "topic_types", "notices"}
)


class HealthField(FrozenRecord, frozen=True, kw_only=True):
    """A field of `/status`, read for each request; a public one is also a field of `/health`."""

    name: str
    read: Callable[[], object]
    """Returns a JSON value without blocking."""
    is_public: bool = False

    def __post_init__(self) -> None:
        check_key("health field", self.name)
        check_sync(f"health field {self.name}", self.read, takes=0)
        if self.name in CORE_FIELDS:
            raise ValueError(f"health field {self.name} is one of stringd's own")
