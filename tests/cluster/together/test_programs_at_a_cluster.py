"""The programs of stringd talk to a cluster, at a node that does not have the user's home."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cluster.together.trio import STRINGD, Trio

pytestmark = pytest.mark.long

STRING = str(Path(sys.executable).with_name("string"))


def run(
    trio: Trio, *words: str, user: str | None = "ann", text: str = "", **env: str
) -> subprocess.CompletedProcess[str]:
    """Run a program with the token of a user, or of an admin, at a node without the home of ann."""
    address = trio.address(trio.nodes["two"].port, user)
    given = {"STRINGD_URL": address.url, "STRINGD_TOKEN": address.token or "", "STRINGD_USER": user or ""}
    return subprocess.run(
        words,
        input=text,
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        env=environment(given | env),
        check=False,
    )


def environment(given: Mapping[str, str]) -> dict[str, str]:
    unset = {name: value for name, value in os.environ.items() if not name.startswith("STRINGD_")}
    return {**unset, **given}


@pytest.mark.requirement("cluster.client.programs")
def test_string_runs_commands(lasting: Trio) -> None:
    assert run(lasting, STRING, "file:main", "/exec echo $((40 + 2))").stdout.endswith("\n42\n")
    assert run(lasting, STRINGD, "exec", "file:main", "/exec echo again").stdout.endswith("\nagain\n")
    chanflow = run(lasting, STRINGD, "chanflow", text="<𝒞=string:file:main>/exec echo in blocks</𝒞>\n")
    assert "in blocks" in chanflow.stdout
    assert run(lasting, STRING, "file:main", "/exec exit 3").returncode == 1


@pytest.mark.requirement("cluster.client.programs")
def test_subcommands_of_admins(lasting: Trio) -> None:
    assert run(lasting, STRINGD, "status", user=None).stdout.startswith("stringd ")
    assert "ann  " in run(lasting, STRINGD, "users", user=None).stdout
    assert "cy  file:main" in run(lasting, STRINGD, "sessions", user=None).stdout
    stored = run(lasting, STRINGD, "secret", "set", "TESTED_KEY", user=None, text="value\n")
    assert stored.stdout.startswith("set TESTED_KEY"), stored.stderr
    assert "TESTED_KEY" in run(lasting, STRINGD, "secret", "list", user=None).stdout
    assert run(lasting, STRINGD, "secret", "remove", "TESTED_KEY", user=None).returncode == 0
    link = run(lasting, STRINGD, "console", user=None).stdout
    assert link.startswith(f"http://127.0.0.1:{lasting.nodes['two'].port}/console#token=")


@pytest.mark.requirement("cluster.client.programs")
def test_agents_are_served_by_mcp(lasting: Trio) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "tested", "version": "1"},
        },
    }
    answered = run(lasting, STRINGD, "mcp", text=f"{json.dumps(hello)}\n")
    assert json.loads(answered.stdout.splitlines()[0])["result"]["serverInfo"]["name"] == "stringd"


@pytest.mark.requirement("cluster.client.programs")
def test_runs_are_listed(lasting: Trio) -> None:
    assert run(lasting, STRINGD, "runs").stdout == "no runs\n"


@pytest.mark.requirement("cluster.client.programs", "cluster.client.token")
@pytest.mark.parametrize(
    ("env", "said"),
    [
        ({"STRINGD_TOKEN": ""}, "STRINGD_TOKEN, or from the file of --token-file"),
        ({"STRINGD_TOKEN": f"strd_{'x' * 43}"}, "This token is not valid"),
        ({"STRINGD_USER": "bob"}, "ann"),
    ],
)
def test_refusals_say_what_to_do(lasting: Trio, env: dict[str, str], said: str) -> None:
    refused = run(lasting, STRING, "file:main", "/info", **env)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert said in refused.stderr


@pytest.mark.requirement("cluster.client.programs")
def test_subcommands_without_the_scope_say_so(lasting: Trio) -> None:
    for words in (("status",), ("users",), ("shutdown",), ("approve", "--json")):
        refused = run(lasting, STRINGD, *words)
        assert refused.returncode == 1
        assert "admin" in refused.stderr
