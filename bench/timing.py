"""Compare the wall-clock time of two operations that are run in turn."""

from __future__ import annotations

import subprocess
import threading
import time
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

RUNS = 11
_LIMIT = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The seconds of the measured operation and its reference, and the median of their ratios."""

    measured: float
    reference: float
    ratio: float


def compare(measured: Callable[[], float], reference: Callable[[], float]) -> Comparison:
    """Run both in turn, after one warm-up run of each."""
    pairs = [(measured(), reference()) for _ in range(RUNS + 1)][1:]
    return Comparison(
        measured=median(ours for ours, _ in pairs),
        reference=median(theirs for _, theirs in pairs),
        ratio=median(ours / theirs for ours, theirs in pairs),
    )


def command(line: Sequence[str], env: Mapping[str, str]) -> float:
    """Return the seconds from the start of a command to its successful end."""
    start = time.perf_counter()
    process = subprocess.Popen(line, env=env, stdout=subprocess.DEVNULL)
    # Not `wait(timeout)`: it polls, up to 50 ms apart, and would see the end that much too late.
    last_resort = threading.Timer(_LIMIT, process.kill)
    last_resort.start()
    code = process.wait()
    seconds = time.perf_counter() - start
    last_resort.cancel()
    if code:
        raise subprocess.CalledProcessError(code, list(line))
    return seconds


def milliseconds(seconds: float) -> str:
    """Format a duration for the table."""
    return f"{seconds * 1000:.1f} ms"
