"""No id is accepted twice within two minutes, whatever happens to clock and daemon."""

from __future__ import annotations

import resource
import signal
from dataclasses import dataclass
from pathlib import Path

import pytest

from stringd.errors import StorageFailed
from stringd_approval.listening.replay_guard import ReplayGuard

HOUR = 3600.0


@dataclass
class Clocks:
    """A clock that people set, and one that only goes on."""

    wall: float = 1_790_000_000.0
    steady: float = 5_000.0

    def pass_seconds(self, seconds: float) -> None:
        self.wall += seconds
        self.steady += seconds

    def guard(self, path: Path) -> ReplayGuard:
        return ReplayGuard(path, steady=lambda: self.steady)


@pytest.fixture
def clocks() -> Clocks:
    return Clocks()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "replay.jsonl"


@pytest.mark.requirement("approval.replay.once")
def test_an_id_is_accepted_once(clocks: Clocks, path: Path) -> None:
    guard = clocks.guard(path)
    assert [guard.burn("a"), guard.burn("a"), guard.burn("b")] == [True, False, True]


@pytest.mark.requirement("approval.replay.once")
def test_an_id_lives_for_two_minutes(clocks: Clocks, path: Path) -> None:
    guard = clocks.guard(path)
    made = clocks.wall
    assert guard.burn("a", made)
    clocks.pass_seconds(119.9)
    assert not guard.burn("a", clocks.wall)
    clocks.pass_seconds(0.2)
    assert guard.burn("a", clocks.wall)


@pytest.mark.requirement("approval.replay.restart")
def test_ids_are_kept_over_a_restart(clocks: Clocks, path: Path) -> None:
    assert clocks.guard(path).burn("a", clocks.wall)
    clocks.pass_seconds(60)
    later = clocks.guard(path)
    assert not later.burn("a", clocks.wall)
    clocks.pass_seconds(61)
    assert clocks.guard(path).burn("a", clocks.wall)


@pytest.mark.requirement("approval.replay.clock")
@pytest.mark.parametrize("jump", [HOUR, -HOUR])
@pytest.mark.parametrize("restart", [False, True])
def test_setting_the_clock_lets_no_id_pass_twice(
    clocks: Clocks, path: Path, jump: float, *, restart: bool
) -> None:
    guard = clocks.guard(path)
    made = clocks.wall
    assert guard.burn("a", made)
    clocks.wall += jump
    guard = clocks.guard(path) if restart else guard
    assert not guard.burn("a", made)
    assert not guard.burn("a", clocks.wall)


@pytest.mark.requirement("approval.replay.restart")
def test_ids_live_on_when_the_system_starts_again(clocks: Clocks, path: Path) -> None:
    assert clocks.guard(path).burn("a", clocks.wall)
    clocks.pass_seconds(60)
    clocks.steady = 20
    guard = clocks.guard(path)
    assert not guard.burn("a", clocks.wall)
    clocks.pass_seconds(121)
    assert guard.burn("a", clocks.wall)


@pytest.mark.requirement("approval.replay.clock")
@pytest.mark.parametrize("restart", [False, True])
def test_a_request_stays_used_when_the_clock_comes_back_to_its_time(
    clocks: Clocks, path: Path, *, restart: bool
) -> None:
    guard = clocks.guard(path)
    made = clocks.wall
    assert guard.burn("a", made)
    clocks.pass_seconds(300)
    clocks.wall -= HOUR
    clocks.pass_seconds(HOUR - 300)
    guard = clocks.guard(path) if restart else guard
    assert clocks.wall == made
    assert not guard.burn("a", made)


def test_a_torn_file_is_read_as_far_as_it_goes(clocks: Clocks, path: Path) -> None:
    assert clocks.guard(path).burn("a")
    path.write_bytes(path.read_bytes() + b'["b", 17')
    later = clocks.guard(path)
    assert not later.burn("a")
    assert later.burn("b")
    assert not clocks.guard(path).burn("b")


def test_old_ids_are_forgotten(clocks: Clocks, path: Path) -> None:
    guard = clocks.guard(path)
    for number in range(100):
        assert guard.burn(f"{number}", clocks.wall)
    clocks.pass_seconds(25 * HOUR)
    guard = clocks.guard(path)
    assert path.read_bytes() == b""


def test_the_file_is_private(clocks: Clocks, path: Path) -> None:
    clocks.guard(path).burn("a")
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_file_does_not_grow_for_ever(clocks: Clocks, path: Path) -> None:
    guard = clocks.guard(path)
    for number in range(25_000):
        assert guard.burn(f"{number}")
        clocks.pass_seconds(30)
    lines = path.read_bytes().count(b"\n")
    assert lines < 20_000
    later = clocks.guard(path)
    assert not later.burn("24999")
    assert not later.burn("24998")


def test_a_line_that_did_not_fit_on_the_disk_spoils_no_other(clocks: Clocks, path: Path) -> None:
    guard = clocks.guard(path)
    assert guard.burn("a")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 5, before[1]))
    try:
        with pytest.raises(StorageFailed, match="the disk is full"):
            guard.burn("b")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert guard.burn("c")
    assert not clocks.guard(path).burn("c")
