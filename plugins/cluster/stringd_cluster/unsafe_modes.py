"""Switches for the tests of the harness that looks for lost writes: it must find what they cause."""

from __future__ import annotations

import os
from functools import cache

LEASE_CHECKS = "no-lease-checks"
FENCES = "no-fences"
_VARIABLE = "CLUSTER_WITHOUT_SAFEGUARDS"


@cache
def switched_off() -> frozenset[str]:
    """Return the safeguards that this process runs without."""
    # Not read when it is imported: the process that the tests fork daemons from has another environment.
    return frozenset(filter(None, os.environ.get(_VARIABLE, "").split(",")))


def is_switched_off(safeguard: str) -> bool:
    """Return whether this process runs without a safeguard."""
    return safeguard in switched_off()
