"""Put load on servers from a separate process, in rounds that alternate between targets."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

PROJECT = Path(__file__).parent.parent

# Above this share of a core the generator measures itself as much as the server.
_SATURATED = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A server to load with requests; a correct response has status 200 and contains `expect`."""

    pid: int
    port: int
    requests: tuple[str, ...]
    expect: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The targets by name, which are loaded in turn."""

    targets: dict[str, Target]
    connections: int = 16
    rounds: int = 7
    seconds: float = 2.0
    warm_up: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """The results of a round: correct responses, errors, and latencies in seconds.

    `cpu` is the processor time that the server used, in seconds; `busy` the share of a core that the
    generator used itself.
    """

    answers: int
    errors: int
    seconds: float
    p99: float
    cpu: float
    busy: float


Figure = Callable[[Round], float]


def rate(seen: Round) -> float:
    """Return the responses per second."""
    return seen.answers / seen.seconds


def cpu(seen: Round) -> float:
    """Return the server's CPU time per response, in seconds."""
    return seen.cpu / seen.answers


def p99(seen: Round) -> float:
    """Return the 99th percentile of the latencies, in seconds."""
    return seen.p99


def post(port: int, path: str, body: object, **headers: str) -> str:
    """Encode an HTTP/1.1 POST with a JSON body; header names have `_` in place of `-`."""
    content = json.dumps(body)
    length = str(len(content))
    fixed = {"host": f"127.0.0.1:{port}", "content-type": "application/json", "content-length": length}
    named = fixed | {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"POST {path} HTTP/1.1\r\n{lines}\r\n{content}"


def measure(job: Job) -> dict[str, list[Round]]:
    """Run the job in the generator's process; return the rounds of each target in order."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.generator"],
        input=json.dumps(asdict(job)),
        stdout=subprocess.PIPE,
        text=True,
        cwd=PROJECT,
        check=True,
        timeout=60 + 2 * len(job.targets) * (job.rounds * job.seconds + job.warm_up),
    )
    seen = {name: [Round(**each) for each in rounds] for name, rounds in json.loads(done.stdout).items()}
    for name, rounds in seen.items():
        if median(each.busy for each in rounds) > _SATURATED:
            print(f"the load generator was as busy as {name}: its figure is a lower bound", file=sys.stderr)
    return seen


def middle(rounds: list[Round], figure: Figure) -> float:
    """Return the median of a figure over the rounds."""
    return median(figure(each) for each in rounds)


def ratio(measured: list[Round], reference: list[Round], figure: Figure) -> float:
    """Return the median of the ratios of each round, since a slow period affects both of its halves."""
    if errors := sum(each.errors for each in [*measured, *reference]):
        raise RuntimeError(f"{errors} requests failed: a comparison would mean nothing")
    pairs = zip(measured, reference, strict=True)
    return median(figure(ours) / figure(theirs) for ours, theirs in pairs)
