"""`python -m bench [module | module.name ...]`: measure, print the table, exit 1 if a goal is missed."""

from __future__ import annotations

import os
import platform
import sys
from datetime import UTC, datetime
from subprocess import SubprocessError

from bench.rooms import Measurement, measurements
from bench.table import Row, markdown


def main(wanted: list[str]) -> int:
    """Run all measurements, or the named ones."""
    try:
        chosen = measurements(wanted)
    except KeyError as stranger:
        print(stranger.args[0], file=sys.stderr)
        return 2
    machine = _machine()
    rows: list[Row] = []
    for name, measurement in chosen.items():
        print(f"measuring {name} ...", file=sys.stderr)
        rows += _rows(name, measurement)
    print(f"{machine}\n\n{markdown(rows)}")
    return int(any(row.met is False for row in rows))


def _rows(name: str, measurement: Measurement) -> list[Row]:
    try:
        return list(measurement())
    except (RuntimeError, OSError, SubprocessError) as failure:
        return [Row(what=name, measured=f"could not be measured: {failure}", met=False)]


def _machine() -> str:
    """Return date, machine and load average, without which figures mean nothing."""
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    load = os.getloadavg()[0]
    python = platform.python_version()
    return f"{now}, {os.cpu_count()} cores, {platform.machine()}, Python {python}, load average {load:.1f}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
