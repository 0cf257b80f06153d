"""Real nodes that are hurt while clients work lose nothing, and without their safeguards that is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from stringd_cluster.unsafe_modes import FENCES, LEASE_CHECKS
from tests.cluster.chaos.__main__ import run
from tests.cluster.chaos.chaos_run import Plan, Report
from tests.cluster.chaos.checker import Wrong
from tests.cluster.chaos.history import FaultKind
from tests.cluster.engine import Engine
from tests.cluster.nodes import LEASE_SECONDS

SECONDS = 15.0
FAULTS = (FaultKind.KILL, FaultKind.PAUSE, FaultKind.WRITING_SHELL, FaultKind.DELAYED_WRITE, FaultKind.MOVE)
pytestmark = pytest.mark.long


def report_of(engine: Engine, folder: Path, *kinds: FaultKind, without: str = "") -> Report:
    """Return what a short run with faults of these kinds shows."""
    planned = Plan(seed=1, seconds=SECONDS, lease_seconds=LEASE_SECONDS, kinds=kinds)
    return run(engine, planned, folder, without)


@pytest.mark.requirement("cluster.homes.chaos")
def test_nothing_is_lost(postgres: Engine, tmp_path: Path) -> None:
    report = report_of(postgres, tmp_path, *FAULTS)
    assert report.history.faults
    assert report.acknowledged
    assert list(report.violations) == [], "\n".join(report.lines())


@pytest.mark.requirement("cluster.homes.controls")
@pytest.mark.parametrize(
    ("safeguard", "kind", "wrong"),
    [
        (LEASE_CHECKS, FaultKind.WRITING_SHELL, Wrong.OVERLAPPING),
        (FENCES, FaultKind.DELAYED_WRITE, Wrong.LOST),
    ],
)
def test_missing_safeguards_are_found(
    safeguard: str, kind: FaultKind, wrong: Wrong, postgres: Engine, tmp_path: Path
) -> None:
    report = report_of(postgres, tmp_path, kind, without=safeguard)
    assert wrong in {it.wrong for it in report.violations}, "\n".join(report.lines())
