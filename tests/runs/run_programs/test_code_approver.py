"""`stringd run` with a strategy that is code, which the person at the terminal or an operator approves."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.cli.terminal import CTRL_C, CTRL_D, Terminal
from tests.ports import free_port
from tests.questions.people import Operator, until

STRINGD = str(Path(sys.executable).with_name("stringd"))
PATIENCE = 40.0
PROMPT = "Allow? [y/N] "
STRATEGY = """
open("trace", "w").close()


async def shout(text, call):
    return (await call("writer", text)).upper()


strategy = {"name": "shout", "version": "1", "agents": {"writer": {"model": "openai/none"}}, "flow": shout}
"""

pytestmark = pytest.mark.requirement("runs.topics.code")


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """A file that the code of the strategy writes."""
    trace = tmp_path / "trace"
    code = STRATEGY.replace('"trace"', repr(str(trace)))
    (tmp_path / "shout.py").write_text(code, encoding="utf-8")
    (tmp_path / "me").mkdir()
    return trace


def sit_down(folder: Path, options: str = "--dry") -> Terminal:
    """Run the strategy at a terminal, with standard output in a file, and show the exit code."""
    environment = f"HOME={folder / 'me'} STRINGD_PORT={free_port()} TERM=xterm"
    command = f"cd {folder}; {STRINGD} run {options} shout.py --input hello > result; echo code $?"
    return Terminal(f"env {environment} bash -c '{command}'")


@pytest.mark.requirement("runs.topics.dry")
def test_code_that_is_approved_at_the_terminal_runs(tmp_path: Path, trace: Path) -> None:
    with sit_down(tmp_path) as terminal:
        shown = terminal.expect(PROMPT, PATIENCE)
        assert "Run the code of the strategy shout.py in the daemon?" in shown
        # The whole file is shown.
        assert "│ async def shout(text, call):" in shown
        assert '"flow": shout}' in shown
        assert not trace.exists()
        terminal.type("y")
        terminal.expect("code 0", PATIENCE)
    assert trace.exists()
    assert (tmp_path / "result").read_text(encoding="utf-8") == "HELLO\n"


@pytest.mark.requirement("runs.topics.exit_codes")
@pytest.mark.parametrize("key", ["n", "\r", CTRL_D])
def test_code_that_is_denied_does_not_run(tmp_path: Path, trace: Path, key: str | bytes) -> None:
    with sit_down(tmp_path) as terminal:
        terminal.expect(PROMPT, PATIENCE)
        terminal.type(key)
        terminal.expect("stringd: the operator has not approved the code of this strategy", PATIENCE)
        terminal.expect("code 1", PATIENCE)
    assert not trace.exists()


@pytest.mark.requirement("runs.topics.exit_codes")
def test_ctrl_c_leaves_the_question(tmp_path: Path, trace: Path) -> None:
    with sit_down(tmp_path) as terminal:
        terminal.expect(PROMPT, PATIENCE)
        terminal.type(CTRL_C)
        terminal.expect("code 130", PATIENCE)
    assert not trace.exists()


@pytest.mark.parametrize("options", [["--dry"], []])
def test_without_a_terminal_code_is_refused_at_once(tmp_path: Path, trace: Path, options: list[str]) -> None:
    home = tmp_path / "me" / ".string" / "users" / "default"
    home.mkdir(parents=True)
    (tmp_path / "shout.py").rename(home / "shout.py")
    done = subprocess.run(
        [STRINGD, "run", *options, "shout.py"],
        input="y\n",
        capture_output=True,
        encoding="utf-8",
        cwd=home,
        env={**os.environ, "HOME": str(tmp_path / "me"), "STRINGD_PORT": str(free_port())},
        timeout=PATIENCE,
    )
    assert (done.returncode, done.stdout) == (1, "")
    [line] = done.stderr.splitlines()
    assert line.startswith(
        "stringd: this strategy is code, which a person must approve: run it at a terminal"
    )
    assert "stringd approve" in line
    assert not trace.exists()


def test_in_a_daemon_of_somebody_else_the_operator_is_waited_for(tmp_path: Path, trace: Path) -> None:
    daemon = DaemonProcess(tmp_path / "other", (), {}, port=0, data_dir=None, operator=True)
    daemon.start()
    try:
        daemon.register("default", tmp_path)
        with (
            Operator(daemon) as operator,
            subprocess.Popen(
                [STRINGD, "run", "shout.py", "--model", "scripted/echo", "--input", "hello"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                encoding="utf-8",
                cwd=tmp_path,
                env={**os.environ, "HOME": str(tmp_path / "me"), "STRINGD_PORT": str(daemon.port)},
            ) as program,
        ):
            [question] = until(operator.listed, "no question")
            assert not trace.exists()
            operator.decide(question, True)
            assert program.communicate(timeout=PATIENCE)[0] == "HELLO\n"
        assert trace.exists()
    finally:
        daemon.stop()
