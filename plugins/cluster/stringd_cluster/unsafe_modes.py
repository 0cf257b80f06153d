"""Switches for the tests of the harness that looks for lost writes: it must find what they cause."""

from __future__ import annotations

import os

LEASE_CHECKS = "no-lease-checks"
FENCES = "no-fences"
_VARIABLE = "CLUSTER_WITHOUT_SAFEGUARDS"
_SWITCHED_OFF = frozenset(os.environ.get(_VARIABLE, "").split(","))


def is_switched_off(safeguard: str) -> bool:
    """Return whether this process runs without a safeguard."""
    return safeguard in _SWITCHED_OFF
