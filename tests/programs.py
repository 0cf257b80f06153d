"""Run `stringd` to its end, forked from a process that has imported it: imports take most of its time."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from stringd.testing.process import FORKS

_PATIENCE = 30.0


def run_stringd(
    *arguments: str, folder: Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command line in a folder, without input; with none of the settings of whoever runs the tests."""
    unset = {name: value for name, value in os.environ.items() if not name.startswith("STRINGD_")}
    environment = {**unset, **(env or {})}
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        assert FORKS.can_fork(environment), "the environment is not that of these tests"
        process = FORKS.start(
            arguments,
            environment=environment,
            directory=folder,
            output=output.fileno(),
            errors=errors.fileno(),
        )
        try:
            code = process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        printed = []
        for stream in (output, errors):
            stream.seek(0)
            printed.append(stream.read().decode())
    return subprocess.CompletedProcess(arguments, code, *printed)
