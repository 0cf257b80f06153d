"""A daemon that cannot start prints one line."""

from __future__ import annotations

import contextlib
import socket
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from tests.protocol.conftest import RunStringd

NO_PORTS = ["abc", "70000", "65536", "-1", "1.5", "99999999999999999999"]
SEED_PORT = 3100


def assert_one_line(done: subprocess.CompletedProcess[str], *mentioned: str) -> None:
    assert done.returncode not in {0, -6, -11}
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    for text in mentioned:
        assert text in done.stderr


@pytest.mark.requirement("fault.port_taken")
@pytest.mark.parametrize("by_option", [True, False])
def test_taken_port_is_a_one_line_error(run_stringd: RunStringd, by_option: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = run_stringd("--port", port) if by_option else run_stringd(env={"STRINGD_PORT": port})
    assert_one_line(done, port)


@pytest.mark.requirement("transport.port.default", "fault.port_taken")
def test_port_is_3100_without_a_setting(run_stringd: RunStringd) -> None:
    with contextlib.ExitStack() as held:
        with contextlib.suppress(OSError):  # whoever has the port already serves this test as well
            held.enter_context(socket.create_server(("127.0.0.1", SEED_PORT)))
        assert_one_line(run_stringd(), str(SEED_PORT))


@pytest.mark.requirement("fault.port_value")
@pytest.mark.parametrize("port", NO_PORTS)
def test_invalid_port_is_a_one_line_error(run_stringd: RunStringd, port: str) -> None:
    assert_one_line(run_stringd(f"--port={port}"), port)
    assert_one_line(run_stringd("--port", port))
    assert_one_line(run_stringd(env={"STRINGD_PORT": port}), port)


@pytest.mark.requirement("fault.data_dir")
@pytest.mark.parametrize("below", ["", "/below", "/below/further"])
@pytest.mark.parametrize("by_option", [True, False])
def test_unwritable_data_directory_is_a_one_line_error(
    run_stringd: RunStringd, tmp_path: Path, below: str, by_option: bool
) -> None:
    (tmp_path / "file").write_text("no directory", encoding="utf-8")
    data_dir = f"{tmp_path / 'file'}{below}"
    args = ["--port", "0", *(["--data-dir", data_dir] if by_option else [])]
    done = run_stringd(*args, env={} if by_option else {"STRINGD_DATA_DIR": data_dir})
    assert_one_line(done, str(tmp_path / "file"))
