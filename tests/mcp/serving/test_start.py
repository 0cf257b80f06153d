"""Nothing of the SDK is imported before the first agent connects."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_PRINT = "import sys; print(*(it for it in sys.modules if it.split('.')[0] in {'mcp', 'mcp_types'}))"
_DAEMON = """
import asyncio, pathlib
from stringd.config import Config
from stringd.server.app import make_app, make_runtime
runtime = make_runtime(Config(port=0, data_dir=pathlib.Path("data")))
make_app(runtime, None)
"""
_STRING = """
import contextlib
from stringd.cli.string import main
with contextlib.suppress(SystemExit):
    main(["--port", "1", "--no-start", "file:main", "/info"])
"""
_BRIDGE = """
import argparse
from stringd_mcp.plugin import stringd_cli
for command in stringd_cli():
    command.configure(argparse.ArgumentParser())
from stringd_mcp.client_setup import bridge_connection, installation, stdio_bridge
import websockets.sync.client
"""


@pytest.mark.parametrize("program", [_DAEMON, _STRING, _BRIDGE], ids=["daemon", "string", "bridge"])
@pytest.mark.requirement("mcp.start")
def test_sdk_is_not_imported(program: str, tmp_path: Path) -> None:
    """Neither the daemon, nor `string`, nor `stringd mcp` imports the SDK when it starts."""
    done = subprocess.run(
        [sys.executable, "-c", f"{program}\n{_PRINT}"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=50,
        check=True,
    )
    assert done.stdout.strip() == ""
