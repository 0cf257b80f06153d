"""Let the workers of pytest-xdist share the compilation of the test modules.

Each worker imports all of them. After a change, and in a new clone, workers that import them in the same
order compile each at the same time, which takes longer than the imports. If each begins elsewhere, it finds
most modules compiled by another.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_TESTS = Path(__file__).parent


def begin_elsewhere(config: pytest.Config) -> None:
    """Have this worker collect all modules in an order of its own, unless the caller selects some."""
    number = os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw")
    if number and config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        workers = int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        modules = [str(it) for it in sorted(_TESTS.rglob("test_*.py"))]
        first = int(number) * len(modules) // workers
        config.args = [*modules[first:], *modules[:first]]


def in_common_order(items: list[pytest.Item]) -> None:
    """Sort the collected tests by module, since all workers must list them in the same order."""
    items.sort(key=lambda it: it.path)
