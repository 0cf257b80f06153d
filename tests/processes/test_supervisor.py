"""Supervisors import little, since each shell has one."""

from __future__ import annotations

import subprocess
import sys

import pytest

IMPORTED = """
import sys
sys.path[:] = {path!r}
import {module}, {program}
print(*sys.modules, sep="\\n")
"""
LARGE = {"asyncio", "inspect", "dataclasses", "pluggy", "stringd.api", "stringd.plugin", "stringd.text"}


@pytest.mark.parametrize(
    ("module", "program"),
    [
        ("stringd.processes.fork_server", "stringd_bash.supervised_shell"),
        ("stringd.processes.fork_server", "stringd_approval.executing.supervised_pipeline"),
        ("stringd.processes.supervisor", "stringd_web.browser.supervised_chromium"),
    ],
)
def test_supervisor_imports_are_light(module: str, program: str) -> None:
    code = IMPORTED.format(path=[it for it in sys.path if it], module=module, program=program)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert {module, program} <= set(done.stdout.split())
    assert not LARGE & set(done.stdout.split())
