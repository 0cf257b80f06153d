"""Where grants are kept: in the memory of a daemon, or in the storage that the nodes of a cluster share."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Protocol

from msgspec.structs import asdict

from stringd.plugin import PluginStorage, StorageFailed
from stringd_approval.asking.grants import MOST_MINUTES, Grant, Grants, Scope, Terms, check_terms
from stringd_approval.exec_request import ExecRequest

log = logging.getLogger(__name__)

_PREFIX = "grant/"
_LONGEST = MOST_MINUTES * 60.0
_MOST_SKEW = 60.0
_LOOK_SECONDS = 1.0
_OF_MODEL = set(ExecRequest.__struct_fields__) - {"reason", "made"}


class GrantStore(Protocol):
    """The grants that hold; what `Grants` promises, for coroutines."""

    @property
    def known(self) -> Sequence[Mapping[str, Any]]:
        """What `listed` has returned lately."""

    async def add(
        self, terms: Terms, model: ExecRequest, paths: Sequence[str], *, by: str, through: str
    ) -> None:
        """Add a grant for requests like a model, or raise `GrantError`."""

    async def use(self, request: ExecRequest, paths: Sequence[str]) -> Grant | None:
        """Return a grant for a request and count its use; None if there is none."""

    async def listed(self) -> Sequence[Mapping[str, Any]]:
        """Return the grants that hold, in the format for front ends."""

    async def revoke(self, grant_id: str) -> Grant | None:
        """End a grant, and return it, if there was one."""

    async def follow(self) -> None:
        """Keep what is known up to date until cancelled."""


class LocalGrants:
    """The grants of one daemon, which end with it."""

    def __init__(self) -> None:
        self._grants = Grants()

    @property
    def known(self) -> Sequence[Mapping[str, Any]]:
        """The grants."""
        return self._grants.listed()

    async def add(
        self, terms: Terms, model: ExecRequest, paths: Sequence[str], *, by: str, through: str
    ) -> None:
        """Add a grant."""
        self._grants.add(terms, model, paths, by=by, through=through)

    async def use(self, request: ExecRequest, paths: Sequence[str]) -> Grant | None:
        """Use a grant."""
        return self._grants.use(request, paths)

    async def listed(self) -> Sequence[Mapping[str, Any]]:
        """Return the grants."""
        return self._grants.listed()

    async def revoke(self, grant_id: str) -> Grant | None:
        """End a grant."""
        return self._grants.revoke(grant_id)

    async def follow(self) -> None:
        """Do nothing: everything is known."""


class SharedGrants:
    """Grants that hold at all nodes as soon as they are stored, and end after a day at the latest.

    Each use looks at what is stored. Their time is that of each node's clock; where it seems to have been set
    back, they do not hold. If they can't be read, none holds.
    """

    def __init__(self, storage: PluginStorage, clock: Callable[[], float] = time.time) -> None:
        self._storage = storage
        self._clock = clock
        self.known: Sequence[Mapping[str, Any]] = ()

    async def add(
        self, terms: Terms, model: ExecRequest, paths: Sequence[str], *, by: str, through: str
    ) -> None:
        """Store a grant."""
        check_terms(terms, model)
        try:
            async with self._changing() as grants:
                added = grants.add(terms, model, paths, by=by, through=through)
                if added.until is None:
                    added.until = self._clock() + _LONGEST
        except StorageFailed as failure:
            log.warning("a grant can't be stored, and does not hold: %s", failure)

    async def use(self, request: ExecRequest, paths: Sequence[str]) -> Grant | None:
        """Use a grant, of which another node may be using up the rest."""
        try:
            found = (await self._read()).use(request, paths)
            if found is None or found.times is None:
                return found
            async with self._changing() as grants:
                return grants.use(request, paths)
        except StorageFailed as failure:
            log.warning("grants can't be read, and do not hold: %s", failure)
            return None

    async def listed(self) -> Sequence[Mapping[str, Any]]:
        """Return the grants, or raise `StorageFailed`."""
        return (await self._read()).listed()

    async def follow(self) -> None:
        """Keep what is known up to date."""
        while True:
            with suppress(StorageFailed):
                self.known = await self.listed()
            await asyncio.sleep(_LOOK_SECONDS)

    async def revoke(self, grant_id: str) -> Grant | None:
        """End a grant at all nodes, or raise `StorageFailed`."""
        async with self._changing() as grants:
            return grants.revoke(grant_id)

    async def _read(self) -> Grants:
        return self._decoded(await self._storage.items(_PREFIX))

    def _decoded(self, stored: Mapping[str, Any]) -> Grants:
        grants = (_grant(key.removeprefix(_PREFIX), it) for key, it in stored.items())
        latest = self._clock() + _LONGEST + _MOST_SKEW
        return Grants(self._clock, {it.id: it for it in grants if it.until is not None and it.until < latest})

    @asynccontextmanager
    async def _changing(self) -> AsyncIterator[Grants]:
        """Return the grants, and store what has changed of them; other nodes wait."""
        async with self._storage.transaction() as entries:
            before = await entries.items(_PREFIX)
            grants = self._decoded(before)
            known = {it.id: _values(it) for it in grants}
            yield grants
            left = {it.id: _values(it) for it in grants}
            for grant_id in known.keys() - left.keys():
                await entries.delete(f"{_PREFIX}{grant_id}")
            for grant_id, values in left.items():
                if known.get(grant_id) != values:
                    await entries.set(f"{_PREFIX}{grant_id}", values)


def _values(grant: Grant) -> dict[str, Any]:
    model = {name: getattr(grant.model, name) for name in _OF_MODEL}
    return {
        "terms": asdict(grant.terms),
        "model": {**model, "env": dict(grant.model.env)},
        "paths": list(grant.paths),
        "by": grant.by,
        "through": grant.through,
        "times": grant.times,
        "until": grant.until,
    }


def _grant(grant_id: str, values: Mapping[str, Any]) -> Grant:
    terms = {**values["terms"], "scope": Scope(values["terms"]["scope"])}
    return Grant(
        id=grant_id,
        terms=Terms(**terms),
        model=ExecRequest(**values["model"]),
        paths=values["paths"],
        by=values["by"],
        through=values["through"],
        times=values["times"],
        until=values["until"],
    )
