"""The state of the log's chain: verified in a worker process, since a log may have hundreds of megabytes."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from stringd.plugin import Budget, Fault, Refusal, Runtime, StorageFailed, WorkStopped
from stringd_approval.audit.audit_log import AuditLog
from stringd_approval.audit.log_reader import read_log
from stringd_approval.audit.verification import Recorded, verify

log = logging.getLogger(__name__)

_OWNER = "approval"
_BUDGET = Budget(seconds=120, memory=2 * 1024**3)
_FAILED = "The log could not be verified; the daemon's log says why."
_TOO_LARGE = "The log could not be verified here; `stringd audit verify` can."


class CheckedChain(Struct, frozen=True, kw_only=True):
    """A result: which entries follow each other, the hash of the last one, and what is wrong behind it."""

    first: int = 0
    last: int = 0
    digest: str = ""
    fault: str = ""
    torn: int = 0


def check_chain(data_dir: str, since: str | None, recorded: Sequence[Recorded]) -> CheckedChain:
    """Verify the log; the line with the hash `since` and the recorded ones must be there."""
    try:
        verified = verify(read_log(Path(data_dir)), since, recorded)
    except Fault as fault:
        return CheckedChain(fault=str(fault))
    return CheckedChain(
        first=verified.first,
        last=verified.head.seq,
        digest=verified.head.digest,
        fault=verified.fault.text if verified.fault else "",
        torn=len(verified.torn),
    )


class ChainCheck(Struct, kw_only=True):
    """The latest result, and a check that is running."""

    runtime: Runtime
    audit: AuditLog
    result: CheckedChain | None = None
    problem: str = ""
    at: float = 0.0
    _running: asyncio.Task[None] | None = None

    @property
    def is_running(self) -> bool:
        """Whether a check is running."""
        return self._running is not None

    def begin(self) -> None:
        """Begin a check, unless one is running."""
        if self._running is None:
            self._running = asyncio.create_task(self._check())
            self.audit.changes.notify()

    async def _check(self) -> None:
        # What this daemon has written must be there: a log that was cut off has no other fault.
        head = self.audit.head
        since = head.digest if head and head.seq else None
        try:
            recorded = await self._recorded()
            self.result = await self.runtime.workers.run(
                check_chain, str(self.runtime.config.data_dir), since, recorded, owner=_OWNER, budget=_BUDGET
            )
            self.problem = ""
        except (Refusal, WorkStopped):
            self.problem = _TOO_LARGE
        except StorageFailed as failure:
            self.problem = str(failure)
        except Exception:
            log.exception("the log of requests could not be verified")
            self.problem = _FAILED
        finally:
            self.at = time.time()
            self._running = None
            self.audit.changes.notify()

    async def _recorded(self) -> Sequence[Recorded]:
        heads = await self.audit.chain.heads() if self.audit.chain else {}
        return [Recorded(chain=name, number=it.number, digest=it.digest) for name, it in heads.items()]
