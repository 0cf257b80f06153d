"""Secrets for plugins, with and without a running daemon."""

from __future__ import annotations

import json
import os
import shlex
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.cli.terminal import Terminal

VALUE = "sk-very-secret"
PROGRAM = [sys.executable, "-m", "stringd"]


def secret(
    data_dir: Path, *words: str, value: str | None = None, port: int = 1
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, "--port", str(port), "--data-dir", str(data_dir), "secret", *words],
        input=value,
        stdin=subprocess.DEVNULL if value is None else None,
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=False,
    )


def post(daemon: DaemonProcess, **fields: Any) -> tuple[int, Any]:
    reply = daemon.request("POST", "/secrets", fields)
    return reply.status, reply.json()


def found(daemon: DaemonProcess, name: str, user: str = "default") -> str:
    return daemon.exec(f"/key {name}", "file:a", user).content.partition("\n")[2]


@pytest.mark.requirement("secrets.command", "secrets.hidden")
def test_secrets_are_set_listed_and_removed_without_a_daemon(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    done = secret(data_dir, "set", "API_KEY", "--plugin", "web", value=f"{VALUE}\n")
    assert (done.returncode, done.stdout) == (0, "set API_KEY (user: all, plugin: web)\n")
    assert stat.S_IMODE((data_dir / "secrets.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(data_dir.stat().st_mode) == 0o700
    assert secret(data_dir, "list").stdout == "API_KEY (user: all, plugin: web)\n"
    again = secret(data_dir, "set", "API_KEY", "--plugin", "web", value="other")
    assert again.stdout.startswith("replaced API_KEY")
    assert VALUE not in done.stdout + done.stderr + (data_dir / "secrets.json").read_text(encoding="utf-8")
    assert secret(data_dir, "remove", "API_KEY", "--plugin", "web").returncode == 0
    gone = secret(data_dir, "remove", "API_KEY", "--plugin", "web")
    assert (gone.returncode, gone.stderr) == (
        1,
        "stringd: no such secret: API_KEY (user: all, plugin: web)\n",
    )


@pytest.mark.requirement("secrets.command", "secrets.found")
def test_running_daemon_uses_a_secret_immediately_and_after_a_restart(vault: DaemonProcess) -> None:
    words = ("set", "API_KEY", "--user", "default", "--plugin", "vault")
    done = secret(vault.data_dir, *words, value=VALUE, port=vault.port)
    assert (done.returncode, done.stdout) == (0, "set API_KEY (user: default, plugin: vault)\n")
    assert found(vault, "API_KEY") == VALUE
    vault.kill()
    vault.restart()
    assert found(vault, "API_KEY") == VALUE
    listed = secret(vault.data_dir, "list", "--json", port=vault.port).stdout
    assert json.loads(listed) == [{"name": "API_KEY", "user_id": "default", "plugin": "vault"}]
    gone = secret(vault.data_dir, "remove", *words[1:], port=vault.port)
    assert (gone.returncode, found(vault, "API_KEY")) == (0, "none")


@pytest.mark.requirement("secrets.found")
def test_most_specific_secret_takes_precedence(vault: DaemonProcess) -> None:
    vault.register("ada")
    owners: list[dict[str, str | None]] = [
        {},
        {"plugin": "vault"},
        {"user_id": "ada"},
        {"user_id": "ada", "plugin": "vault"},
        {"plugin": "web"},
    ]
    for number, of in enumerate(owners):
        assert post(vault, name="K", value=f"value-{number}", **of)[1]["created"] is True
        nearest = min(number, 3)
        assert found(vault, "K", "ada") == f"value-{nearest}"
        assert found(vault, "K") == f"value-{min(number, 1)}"
    vault.request("DELETE", "/users/ada")
    vault.register("ada")
    assert found(vault, "K", "ada") == "value-1"


@pytest.mark.requirement("secrets.hidden")
def test_values_are_in_no_reply_or_log(vault: DaemonProcess) -> None:
    for name, value in (("K", VALUE), ("1K", VALUE), ("K", VALUE * 10_000)):
        reply = vault.request("POST", "/secrets", {"name": name, "value": value})
        assert VALUE not in reply.text
    listed = vault.request("GET", "/secrets").json()
    assert listed == {"secrets": [{"name": "K", "user_id": None, "plugin": None}]}
    assert VALUE not in vault.stderr()


@pytest.mark.requirement("secrets.refused")
@pytest.mark.parametrize(
    ("fields", "status", "error"),
    [
        ({"value": "x"}, 400, "a secret needs a name"),
        ({"name": "a-b", "value": "x"}, 400, "a secret needs a name"),
        ({"name": "K"}, 400, "a secret needs a value"),
        ({"name": "K", "value": ""}, 400, "a secret needs a value"),
        ({"name": "K", "value": 5}, 400, "a secret needs a value"),
        ({"name": "K", "value": "x" * 70_000}, 400, "a secret has at most 64 KiB"),
        ({"name": "K", "value": "x", "user_id": "nobody"}, 401, "Unknown user: nobody"),
        ({"name": "K", "value": "x", "user_id": 5}, 400, "user_id must be a string"),
        ({"name": "K", "value": "x", "plugin": "valt"}, 400, "no plugin valt; there are "),
    ],
)
def test_invalid_secret_is_refused(
    daemon: DaemonProcess, fields: dict[str, Any], status: int, error: str
) -> None:
    answered = post(daemon, **fields)
    assert answered[0] == status
    assert answered[1]["error"].startswith(error)
    assert daemon.request("GET", "/secrets").json() == {"secrets": []}


@pytest.mark.requirement("secrets.refused", "secrets.input")
@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("set", "K", VALUE), 2, "the value of a secret is not taken from the command line"),
        (("set", "K"), 1, "a secret needs a value"),
        (("set", "a b"), 2, "a secret needs a name"),
        (("set", "K", "--plugin", "wbe"), 2, "no plugin wbe; there are "),
        (("set", "K", "--user", "nobody"), 1, "Unknown user: nobody"),
        (("get", "K"), 2, "argument action: invalid choice"),
    ],
)
def test_program_reports_errors_in_one_line(
    tmp_path: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    done = secret(tmp_path / "data", *words, value="" if message.endswith("a value") else "x")
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith(f"stringd: {message}")
    assert VALUE not in done.stderr
    assert not (tmp_path / "data" / "secrets.json").exists()


@pytest.mark.requirement("secrets.input")
def test_terminal_prompts_for_the_value_without_showing_it(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    command = shlex.join([*PROGRAM, "--data-dir", str(data_dir), "secret", "set", "K"])
    with Terminal(command) as terminal:
        terminal.expect("Value of K: ", 30)
        terminal.type(f"{VALUE}\n")
        assert VALUE not in terminal.expect("set K (user: all, plugin: all)", 30)
    (stored,) = json.loads((data_dir / "secrets.json").read_text(encoding="utf-8"))
    assert stored["values"] == {"K": VALUE}


@pytest.mark.requirement("secrets.directory")
def test_data_directory_of_a_daemon_on_another_port_is_refused(own_daemon: DaemonProcess) -> None:
    done = secret(own_daemon.data_dir, "set", "K", value="x")
    assert done.returncode == 1
    assert done.stderr == (
        f"stringd: data directory {own_daemon.data_dir} is in use, but not by a daemon on port 1: "
        "give its port, as in stringd --port N secret\n"
    )
    assert own_daemon.request("GET", "/secrets").json() == {"secrets": []}


@pytest.mark.requirement("secrets.command")
def test_full_disk_is_reported_and_changes_nothing(own_daemon: DaemonProcess) -> None:
    assert post(own_daemon, name="K", value="x")[0] == 200
    file = own_daemon.data_dir / "secrets.json"
    before = file.read_bytes()
    file.unlink()
    os.mkfifo(file)
    status, body = post(own_daemon, name="L", value="y")
    assert (status, body["error"]) == (500, "STORAGE_FAILED")
    file.unlink()
    assert post(own_daemon, name="K", value="x")[1]["created"] is False
    assert json.loads(file.read_bytes()) == json.loads(before)
