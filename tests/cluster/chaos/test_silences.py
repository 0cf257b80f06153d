"""The longest silences are measured, and only those are too long that no fault explains."""

from __future__ import annotations

import pytest

from tests.cluster.chaos.history import Effects, Fault, FaultKind, History, Kind, Operation, Outcome
from tests.cluster.chaos.silences import ASKING_SECONDS, Silence, silences

HOME, LEASE = "ann", 3.0


def fault(kind: FaultKind, began: float, ended: float, *, node: str = "n1", home: str = HOME) -> Fault:
    return Fault(kind=kind, node=node, homes=frozenset({home}), began=began, ended=ended)


def ping(number: int, began: float, ended: float, outcome: Outcome) -> Operation:
    return Operation(
        id=number,
        client="c",
        home=HOME,
        topic="file:ping",
        kind=Kind.PING,
        subject="",
        value="",
        began=began,
        ended=ended,
        outcome=outcome,
    )


def longest(answers: list[float], *faults: Fault) -> Silence:
    return longest_of([ping(number, at, at, Outcome.DONE) for number, at in enumerate(answers)], *faults)


def longest_of(pings: list[Operation], *faults: Fault, is_asked: bool = True) -> Silence:
    """Return the longest silence of a client that asks all the time, and gets these answers."""
    first, last = min(it.began for it in pings), max(it.ended for it in pings)
    asked = range(int((last - first) / ASKING_SECONDS)) if is_asked else ()
    pings += [ping(len(pings), first + ASKING_SECONDS * it, last, Outcome.UNKNOWN) for it in asked]
    history = History(lease_seconds=LEASE, operations=pings, faults=faults, effects={HOME: Effects()})
    return max(silences(history), key=lambda it: it.seconds)


def test_silence_without_a_fault() -> None:
    assert not longest([0.0, 0.4]).is_too_long
    assert longest([0.0, 0.6]).is_too_long


def test_client_that_stands_still_hears_nothing() -> None:
    times = [(0.0, 0.0), (0.1, 1.0), (1.0, 1.0)]
    pings = [ping(number, began, ended, Outcome.DONE) for number, (began, ended) in enumerate(times)]
    silence = longest_of(pings, is_asked=False)
    assert silence.seconds == pytest.approx(0.3)
    assert silence.unasked == pytest.approx(0.7)


@pytest.mark.parametrize("kind", [FaultKind.KILL, FaultKind.PAUSE, FaultKind.CUT_ENGINE])
@pytest.mark.parametrize(("until", "too_long"), [(4.5, False), (4.7, True)])
def test_failover_within_the_lease(kind: FaultKind, until: float, too_long: bool) -> None:
    assert longest([1.0, until], fault(kind, 1.1, 9.0)).is_too_long is too_long


@pytest.mark.parametrize("kind", [FaultKind.LEAVE, FaultKind.DRAIN, FaultKind.MOVE])
@pytest.mark.parametrize(("until", "too_long"), [(1.5, False), (1.7, True)])
def test_orderly_changes(kind: FaultKind, until: float, too_long: bool) -> None:
    assert longest([1.0, until], fault(kind, 1.1, 1.2)).is_too_long is too_long


@pytest.mark.parametrize(("until", "too_long"), [(6.4, False), (6.6, True)])
def test_engine_that_is_down(until: float, too_long: bool) -> None:
    assert longest([1.0, until], fault(FaultKind.ENGINE_KILL, 1.5, 3.0, node="")).is_too_long is too_long


@pytest.mark.parametrize(
    ("began", "until", "too_long"), [(3.9, 5.4, False), (3.9, 5.6, True), (4.1, 5.4, True)]
)
def test_leases_that_run_out_as_the_engine_is_back(began: float, until: float, too_long: bool) -> None:
    assert longest([began, until], fault(FaultKind.ENGINE_KILL, 1.0, 2.0, node="")).is_too_long is too_long


def test_faults_of_other_homes_explain_nothing() -> None:
    assert longest([1.0, 2.0], fault(FaultKind.KILL, 1.1, 9.0, home="bob")).is_too_long


def test_faults_of_other_times_explain_nothing() -> None:
    assert longest([1.0, 2.0], fault(FaultKind.KILL, 0.1, 0.9)).is_too_long


def test_second_fault_begins_a_failover_of_its_own() -> None:
    first, second = fault(FaultKind.KILL, 1.0, 9.0), fault(FaultKind.KILL, 4.0, 9.0)
    assert not longest([1.0, 7.4], first, second).is_too_long
    assert longest([1.0, 7.6], first, second).is_too_long


def test_home_that_answers_never_again() -> None:
    pings = [ping(number, number, number + 0.1, Outcome.UNKNOWN) for number in range(3)]
    assert longest_of(pings).seconds == pytest.approx(2.1)
