"""Switches for the tests of the harness that looks for lost writes: it must find what they cause."""

from __future__ import annotations

import os
from functools import cache

LEASE_CHECKS = "no-lease-checks"
FENCES = "no-fences"
_VARIABLE = "CLUSTER_WITHOUT_SAFEGUARDS"


@cache
def is_switched_off(safeguard: str) -> bool:
    """Return whether this process runs without a safeguard."""
    # Not read when it is imported: the process that the tests fork daemons from has another environment.
    return safeguard in os.environ.get(_VARIABLE, "").split(",")
