"""Run chaos against three nodes of a cluster: `make chaos SEED=1 SECONDS=60 RUNS=10`."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.cluster.chaos.chaos_run import USERS, ChaosRun, Plan, Report, silence_lines
from tests.cluster.chaos.checker import Wrong
from tests.cluster.chaos.history import FaultKind
from tests.cluster.chaos.workload import Home
from tests.cluster.engine import Engine, find_programs
from tests.cluster.nodes import LEASE_SECONDS, Cluster

NODES = ("one", "two", "three")
_RESULTS = Path("build/chaos")


def run(engine: Engine, planned: Plan, folder: Path, unsafe: str = "") -> Report:
    """Run once with new nodes and an empty database; `unsafe` switches safeguards of nodes off."""
    with _cluster(engine, planned, folder, unsafe) as cluster:
        homes = [Home(it, cluster.home(it)) for it in USERS]
        for it in homes:
            it.prepare()
            cluster.register(it.user)
        tokens = {it: cluster.token(it, "exec") for it in USERS}
        report = asyncio.run(ChaosRun(cluster, homes, tokens, planned).run())
    report.save(folder / "report")
    return report


@contextmanager
def _cluster(engine: Engine, planned: Plan, folder: Path, unsafe: str) -> Iterator[Cluster]:
    database = engine.create_database()
    cluster = Cluster(engine, database, folder)
    env = {"CLUSTER_WITHOUT_SAFEGUARDS": unsafe} if unsafe else {}
    try:
        for it in NODES:
            cluster.node(it, lease_seconds=planned.lease_seconds, env=env)
        yield cluster
    finally:
        cluster.close()
        engine.drop_database(database)


def main() -> int:
    """Run as often as is said, each time with the next seed; return 1 if anything is found."""
    parser = argparse.ArgumentParser(prog="make chaos", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--lease-seconds", type=float, default=LEASE_SECONDS)
    parser.add_argument("--kinds", nargs="*", type=FaultKind, default=list(FaultKind))
    parser.add_argument("--unsafe", default="", help="no-lease-checks or no-fences: then it must fail")
    chosen = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    programs = find_programs()
    if programs is None:
        sys.exit("PostgreSQL is not installed: apt-get install postgresql, as .ci/debian does")
    engine = Engine(programs)
    try:
        engine.start()
        reports = [_run_seed(engine, chosen, seed) for seed in range(chosen.seed, chosen.seed + chosen.runs)]
    finally:
        engine.close()
    print("\n".join(_totals(reports)))
    return 1 if any(it.violations or it.too_long or it.failed for it in reports) else 0


def _totals(reports: Sequence[Report]) -> list[str]:
    """Return what all runs have shown together, as lines to print."""
    wrong = Counter(str(it.wrong) for report in reports for it in report.violations)
    silences: dict[str, list[float]] = defaultdict(list)
    for report in reports:
        for kind, seconds in report.longest().items():
            silences[kind] += seconds
    return [
        f"{len(reports)} runs: {sum(it.acknowledged for it in reports)} acknowledged",
        f"runs with violations: {sum(bool(it.violations) for it in reports)}",
        "violations: " + ", ".join(f"{it} {wrong[it]}" for it in Wrong),
        f"silences too long: {sum(len(it.too_long) for it in reports)}",
        f"orders not followed: {sum(len(it.failed) for it in reports)}",
        *silence_lines(silences),
        f"load: {os.getloadavg()[1]:.1f} on {os.cpu_count()} processors",
    ]


def _run_seed(engine: Engine, chosen: argparse.Namespace, seed: int) -> Report:
    planned = Plan(seed=seed, seconds=chosen.seconds, lease_seconds=chosen.lease_seconds, kinds=chosen.kinds)
    folder = _RESULTS.resolve() / (chosen.unsafe or "safe") / str(seed)
    folder.mkdir(parents=True, exist_ok=True)
    report = run(engine, planned, Path(tempfile.mkdtemp(dir=folder)), chosen.unsafe)
    print("\n".join(report.lines()), flush=True)
    return report


if __name__ == "__main__":
    sys.exit(main())
