"""The rules of a cluster, which hold at all nodes before those of each node's file."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256

from msgspec import Struct

from stringd.plugin import Config, PluginStorage, StorageFailed, StoredValues
from stringd.plugin.cli import added
from stringd.plugin.strict_files import FileInvalid
from stringd_approval.policy.policy_record import Policy
from stringd_approval.policy.policy_text import parse_policy

log = logging.getLogger(__name__)

PLUGIN = "approval"
LARGEST = 64 * 1024
NAME = "the rules of the cluster"
_KEY = "rules"
_LOOK_SECONDS = 0.5
_UNKNOWN = Policy(problem=f"{NAME} are not known yet")


def rules_of_cluster(config: Config) -> RulesAsRead | None:
    """Return the rules of a configured cluster, if any; raise `Fault` if they can't be read."""
    texts = (it.read(PLUGIN, _KEY) for it in added(config, StoredValues))
    text = next((it for it in texts if it is not None), None)
    return None if text is None else RulesAsRead(policy=_policy_of(text))


class RulesInvalid(ValueError):
    """A text can't be the rules of a cluster; the message says why."""


class RulesAsRead(Struct, frozen=True, kw_only=True):
    """What the nodes share of their policies, as it was when it was read, for subcommands."""

    policy: Policy


class SharedRules:
    """What the nodes share of their policies; until they are known, everything is asked about."""

    def __init__(self, storage: PluginStorage) -> None:
        self._storage = storage
        self._text: str | None = None
        self._reading = asyncio.Lock()
        self.policy = _UNKNOWN
        self.are_known = asyncio.Event()

    async def read(self) -> str | None:
        """Return the text, None if there is none, and have it hold here; raise `StorageFailed`."""
        async with self._reading:
            text: str | None = await self._storage.get(_KEY)
            if text != self._text or self.policy is _UNKNOWN:
                self._text, self.policy = text, _policy_of(text)
            self.are_known.set()
        return text

    async def follow(self) -> None:
        """Take over what other nodes change, until cancelled."""
        while True:
            with suppress(StorageFailed):
                await self.read()
            await asyncio.sleep(_LOOK_SECONDS)

    async def publish(self, text: str) -> Policy:
        """Have rules hold at all nodes; raise `RulesInvalid` or `StorageFailed`."""
        try:
            policy = _parsed(text)
        except FileInvalid as error:
            line = f", line {error.line}" if error.line else ""
            raise RulesInvalid(f"{error.message}{line}") from None
        if policy != Policy(rules=policy.rules, digest=policy.digest):
            raise RulesInvalid("only rules can be shared; the other values belong into the file of each node")
        await self._storage.set(_KEY, text)
        await self.read()
        return policy

    async def withdraw(self) -> bool:
        """Have no rules hold but those of each node; return whether there were any."""
        existed = await self._storage.delete(_KEY)
        await self.read()
        return existed


def _policy_of(text: str | None) -> Policy:
    if text is None:
        return Policy()
    try:
        return _parsed(text)
    except FileInvalid as error:
        # Another version of stringd has accepted it.
        log.warning("%s can't be used: %s", NAME, error.message)
        return Policy(problem=f"{NAME}: {error.message}")


def _parsed(text: str) -> Policy:
    digest = sha256(text.encode()).hexdigest()
    return replace(parse_policy(text, NAME), digest=digest)
