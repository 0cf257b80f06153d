"""One run of chaos: clients work while faults happen, then all is checked."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from tests.cluster.chaos.chaos_client import NEVER_RUN, REFUSALS, UNCERTAIN, ChaosClient, Entry, Recorder
from tests.cluster.chaos.checker import Violation, check
from tests.cluster.chaos.faults import FaultMaker, PlannedFault, plan
from tests.cluster.chaos.history import Fault, FaultKind, History, Outcome
from tests.cluster.chaos.silences import ASKING_SECONDS, Silence, silences
from tests.cluster.chaos.workload import Home, Workload
from tests.cluster.nodes import Cluster

log = logging.getLogger(__name__)

USERS = ("ann", "bob", "cem")
_SETTLE_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a run is made of: the same seed gives the same clients and faults."""

    seed: int
    seconds: float
    lease_seconds: float
    kinds: Sequence[FaultKind] = tuple(FaultKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a run has shown."""

    plan: Plan
    history: History
    violations: Sequence[Violation]
    silences: Sequence[Silence]
    failed: Sequence[str]
    """Orders to nodes that were not followed."""

    @property
    def acknowledged(self) -> int:
        """The number of operations that clients were told to be done."""
        return sum(it.outcome is Outcome.DONE for it in self.history.operations)

    @property
    def too_long(self) -> list[Silence]:
        """The silences that no fault explains."""
        return [it for it in self.silences if it.is_too_long]

    def summary(self) -> str:
        """Return it in one line."""
        found = f"{len(self.violations)} violations, {len(self.too_long)} silences too long"
        return f"seed {self.plan.seed}: {self.acknowledged} acknowledged, {found}"

    def lines(self) -> list[str]:
        """Return it as lines to print."""
        kinds = Counter(f"{it.kind} {it.outcome}" for it in self.history.operations)
        codes = Counter(a.result for it in self.history.operations for a in it.attempts)
        odd = {it: n for it, n in codes.items() if it not in NEVER_RUN | UNCERTAIN | REFUSALS | {"OK"}}
        made = Counter(str(it.kind) for it in self.history.faults)
        return [
            self.summary(),
            f"  operations: {_counted(kinds)}",
            f"  answers: {_counted(codes)}",
            *([f"  unexpected: {_counted(odd)}"] if odd else []),
            f"  faults: {_counted(made)}",
            *(f"  {it}" for it in silence_lines(self.longest())),
            *(f"  {it}"[:600] for it in self.violations[:20]),
            *(f"  failed: {it}"[:600] for it in self.failed),
            *(
                f"  silent: {it.home} for {it.seconds:.2f} s, allowed {it.allowed:.2f}, with "
                + (", ".join(str(fault.kind) for fault in it.faults) or "nothing")
                for it in self.too_long
            ),
        ]

    def longest(self) -> dict[str, list[float]]:
        """Return for each kind of fault the longest silences of homes by single faults; `nothing` is none."""
        found: dict[tuple[str, Fault | None, str], float] = {}
        for it in self.silences:
            if len(it.faults) <= 1:
                fault = it.faults[0] if it.faults else None
                key = (str(fault.kind) if fault else "nothing", fault, it.home)
                found[key] = max(found.get(key, 0.0), it.seconds)
        by_kind: dict[str, list[float]] = defaultdict(list)
        for (kind, *_), seconds in sorted(found.items(), key=lambda it: it[0][0]):
            by_kind[kind].append(seconds)
        return by_kind

    def save(self, folder: Path) -> None:
        """Write all that was recorded to files."""
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "operations.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(asdict(it)) + "\n" for it in self.history.operations)
        faults = [json.dumps({**asdict(it), "homes": sorted(it.homes)}) for it in self.history.faults]
        (folder / "faults.jsonl").write_text("\n".join(faults), encoding="utf-8")
        (folder / "report.txt").write_text("\n".join(self.lines()), encoding="utf-8")


class ChaosRun:
    """One run with the nodes of a cluster."""

    def __init__(
        self, cluster: Cluster, homes: Sequence[Home], tokens: dict[str, str], planned: Plan
    ) -> None:
        self._cluster = cluster
        self._homes = homes
        self._tokens = tokens
        self._plan = planned
        self._recorder = Recorder()
        self._clients: list[ChaosClient] = []
        self._stop = asyncio.Event()

    async def run(self) -> Report:
        """Let clients work and faults happen, and check what came of it."""
        faults = FaultMaker(self._cluster, self._homes, self._plan.lease_seconds)
        try:
            await self._work(faults)
        finally:
            await asyncio.gather(*(it.close() for it in self._clients))
        return self._report(faults)

    async def _work(self, faults: FaultMaker) -> None:
        workloads = [self._workload(it) for it in self._homes]
        began = time.monotonic()
        answer_seconds = self._plan.lease_seconds / 2
        work = [asyncio.create_task(it.run()) for it in workloads]
        pings = [asyncio.create_task(it.ping(answer_seconds, ASKING_SECONDS)) for it in workloads]
        await faults.run(self._faults(), began)
        await asyncio.sleep(max(0.0, began + self._plan.seconds - time.monotonic()))
        self._stop.set()
        await asyncio.wait_for(asyncio.gather(*work, *pings), _SETTLE_SECONDS)
        await faults.restart()
        for it in workloads:
            await it.read_all()

    def _faults(self) -> Sequence[PlannedFault]:
        return plan(
            self._plan.seed,
            self._plan.seconds,
            self._plan.lease_seconds,
            homes=len(self._homes),
            nodes=len(self._cluster.nodes),
            of=self._plan.kinds,
        )

    def _workload(self, home: Home) -> Workload:
        def client(name: str) -> ChaosClient:
            entries: Sequence[Entry] = self._cluster.nodes
            named = f"{home.user}/{name}"
            made = ChaosClient(
                named,
                self._tokens[home.user],
                entries,
                self._recorder,
                f"{self._plan.seed} {named}",
                4 * self._plan.lease_seconds,
            )
            self._clients.append(made)
            return made

        return Workload(home, client, self._recorder, self._stop, self._plan.lease_seconds)

    def _report(self, faults: FaultMaker) -> Report:
        operations = self._recorder.operations
        history = History(
            lease_seconds=self._plan.lease_seconds,
            operations=operations,
            faults=faults.made,
            effects={it.user: it.effects(operations) for it in self._homes},
        )
        return Report(
            plan=self._plan,
            history=history,
            violations=check(history),
            failed=faults.failed,
            silences=sorted(silences(history), key=lambda it: it.seconds),
        )


def silence_lines(longest: Mapping[str, Sequence[float]]) -> list[str]:
    """Return the median and the maximum of silences by kind of fault as lines to print."""
    return [
        f"silence with {kind}: median {median(seconds):.2f} s, longest {max(seconds):.2f} s of {len(seconds)}"
        for kind, seconds in sorted(longest.items())
    ]


def _counted(counts: Counter[str] | dict[str, int]) -> str:
    return ", ".join(f"{it} {count}" for it, count in sorted(counts.items())) or "none"
