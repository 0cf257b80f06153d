"""`/install mcp`: commands, configuration files, secrets, updates, and what is refused."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

import pytest

from stringd.testing.process import DaemonProcess
from tests.mcp_apps.serving import RAW, call, pids, raw_command, refused
from tests.web.process_families import command_lines, end_within_moments

STORE = "file:main"


def write_config(daemon: DaemonProcess, text: str) -> None:
    (daemon.home / "mcp.json").write_text(text, encoding="utf-8")


@pytest.mark.requirement("mcp.apps.install.config", "mcp.apps.install.env")
def test_a_server_of_a_configuration_file(raw: DaemonProcess) -> None:
    entry = {"command": sys.executable, "args": [str(RAW)], "env": {"MODE": "x", "API_TOKEN": "literal-1"}}
    text = json.dumps(
        {"mcpServers": {"Notes Server": entry, "other": {"url": "http://h.example/mcp"}}}, indent=1
    )
    write_config(raw, "// as editors write it\n" + text.replace('"x"', '"x" /* why */'))
    shown = refused(raw, "/install mcp --config mcp.json", "INVALID_PARAMS", STORE)
    assert "servers: Notes Server, other" in shown
    shown = call(raw, "/install mcp --config mcp.json 'Notes Server' --as notes", STORE)
    assert "literal-1" not in shown
    assert '/set $API_TOKEN = "..."' in shown
    assert "literal-1" not in (raw.home / "packages" / "notes" / "server.json").read_text(encoding="utf-8")
    assert "API_TOKEN" in refused(raw, "/act.connect", "ENV_REQUIRED", "app:notes")
    call(raw, '/set $API_TOKEN = "literal-2"', "app:notes")
    assert "notes offers 29 tools" in call(raw, "/act.connect", "app:notes")
    call(raw, "/open app:notes", "app:notes")
    shown = call(raw, "/act.environment", "app:notes")
    assert "MODE: x" in shown
    # The value itself is masked wherever it would be shown.
    assert "literal-2" not in shown
    assert "API_TOKEN" in shown
    call(raw, "/uninstall notes", STORE)


@pytest.mark.requirement("mcp.apps.install.env")
@pytest.mark.parametrize(
    ("typed", "code", "reason"),
    [
        (
            "--env API_KEY=abc -- true",
            "INVALID_PAYLOAD",
            "API_KEY looks like a secret: write --env API_KEY={$API_KEY}",
        ),
        ("--env A -- true", "INVALID_PAYLOAD", "--env takes KEY=VALUE, not A"),
        ("--what -- true", "INVALID_PAYLOAD", "Unknown option: --what"),
        ("--env A=1 --", "INVALID_PAYLOAD", "Nothing stands behind --"),
        ("true", "INVALID_PAYLOAD", "Neither a URL nor -- and a command: true"),
        ("--config none.json", "NOT_FOUND", "none.json"),
        ("-- /does/not/exist", "ACTION_FAILED", "exist: it cannot be started: No such file or directory"),
        ("-- false", "ACTION_FAILED", "false: it has ended with status 1"),
        ("ftp://h.example/mcp", "INVALID_PARAMS", "Not the URL of an MCP server"),
        ("http://127.0.0.1:1/mcp", "ACTION_FAILED", "server: "),
    ],
)
def test_what_cannot_be_installed_is_refused(raw: DaemonProcess, typed: str, code: str, reason: str) -> None:
    before = sorted((raw.home / "packages").iterdir())
    assert reason in refused(raw, f"/install mcp {typed}", code, STORE)
    assert sorted((raw.home / "packages").iterdir()) == before


@pytest.mark.requirement("mcp.apps.install.config")
@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ("{", "is not JSON"),
        ("[]", "the file must be an object"),
        ("{}", "mcpServers must be an object"),
        ('{"mcpServers": {"a": 1}}', "a must be an object"),
        ('{"mcpServers": {"a": {"command": ""}}}', "a.command must be a text"),
        ('{"mcpServers": {"a": {"command": "x", "args": "y"}}}', "a.args must be a list of texts"),
        ('{"mcpServers": {"a": {"command": "x", "env": {"A": 1}}}}', "a.env.A must be a text"),
        ('{"mcpServers": {"a": {"type": "sse", "url": "http://h.example"}}}', "use its streamable HTTP"),
    ],
)
def test_a_wrong_configuration_is_refused(raw: DaemonProcess, config: str, reason: str) -> None:
    write_config(raw, config)
    reply = raw.exec("/install mcp --config mcp.json", STORE)
    assert not reply.head["ok"]
    assert reason in reply.content


@pytest.mark.requirement("mcp.apps.trust.hostile")
def test_a_server_that_crashes_at_the_start(raw: DaemonProcess) -> None:
    shown = refused(raw, f"/install mcp -- {raw_command(start='crash')}", "ACTION_FAILED", STORE)
    assert "it has ended with status 4" in shown
    assert "log: cannot start: no configuration" in shown


@pytest.mark.requirement("mcp.apps.trust.hostile")
def test_a_server_that_is_not_understood_is_not_said_to_have_ended_by_itself(raw: DaemonProcess) -> None:
    """It is ended because of what it has sent, and that is the reason which is shown."""
    shown = refused(raw, f"/install mcp -- {raw_command(revision='1999-01-01')}", "ACTION_FAILED", STORE)
    assert "Unsupported protocol version from the server: 1999-01-01" in shown


@pytest.mark.requirement("mcp.apps.update", "mcp.apps.trust.changed", "mcp.apps.life.lists")
def test_new_and_changed_tools_are_shown_before_they_run(raw: DaemonProcess) -> None:
    call(raw, f"/install mcp --as growing -- {raw_command()}", STORE)
    topic = "app:growing"
    assert call(raw, "/act.grow", topic) == "grown"
    package = raw.home / "packages" / "growing"
    shown = ""
    for _ in range(200):
        shown = call(raw, "/open app:growing", topic)
        if "### grown" in shown:
            break
    assert "### grown\n\n[!] This tool is new since the installation." in shown
    shown = refused(raw, "/act.grown", "CONFLICT", topic)
    assert "is new since growing was installed; nothing was called" in shown
    assert "+ Has grown." in shown
    assert call(raw, "/act.grown --size 3", topic) == "called grown"
    # What the server is now described as differs from what was installed.
    stored = json.loads((package / "tools.json").read_text(encoding="utf-8"))
    stored["tools"][0]["description"] = "Say it."
    (package / "tools.json").write_text(json.dumps(stored), encoding="utf-8")
    shown = refused(raw, "/act.echo hi", "CONFLICT", topic)
    assert "- Say it.\n" in shown
    assert "+ Say it again.\n" in shown
    assert call(raw, "/act.echo hi", topic) == "hi"
    assert "index.md" in call(raw, "/install --update growing --replace", topic)
    assert call(raw, "/act.echo hi", topic) == "hi"


@pytest.mark.requirement("mcp.apps.life.nothing_left")
def test_uninstalling_ends_the_server(raw: DaemonProcess) -> None:
    call(raw, f"/install mcp --as leaving -- {raw_command()}", STORE)
    processes = command_lines(*map(int, call(raw, "/act.children", "app:leaving").split()))
    call(raw, "/uninstall leaving", STORE)
    assert end_within_moments(processes)


@pytest.mark.requirement("mcp.apps.life.nothing_left")
def test_removing_a_user_ends_the_servers_of_that_user(raw: DaemonProcess) -> None:
    home = raw.home / "others"
    home.mkdir()
    raw.register("other", home)
    reply = raw.exec(f"/install mcp --as mine -- {raw_command()}", STORE, user="other")
    assert reply.head["ok"], reply.content
    shown = raw.exec("/act.children", "app:mine", user="other").content
    processes = command_lines(*map(int, shown.partition("\n")[2].split()))
    call(raw, "/act.echo hi", "app:raw")
    before = raw.request("GET", "/status").json()["mcpServers"]
    assert raw.request("DELETE", "/users/other").json()["deleted"] is True
    assert end_within_moments(processes)
    assert raw.request("GET", "/status").json()["mcpServers"] == before - 1


@pytest.mark.requirement("mcp.apps.life.nothing_left")
def test_a_user_who_is_added_again_keeps_the_servers_that_are_started_since(raw: DaemonProcess) -> None:
    home = raw.home / "again"
    for _ in range(2):
        assert raw.register("again", home).status == 200
        reply = raw.exec(f"/install mcp --replace --as mine -- {raw_command()}", STORE, user="again")
        assert reply.head["ok"], reply.content
        # The end of a server takes a moment, in which more users are removed.
        assert raw.exec("/act.echo hi", "app:mine", user="again").content.endswith("\nhi")
        for _ in range(3):
            assert raw.request("DELETE", "/users/again").json()["deleted"] is True
            assert raw.register("again", home).status == 200
    assert raw.request("DELETE", "/users/again").json()["deleted"] is True


@pytest.mark.long
@pytest.mark.requirement("mcp.apps.life.nothing_left")
@pytest.mark.parametrize("how", ["kill", "stop"])
def test_no_process_survives_the_daemon(start_daemon: Callable[..., DaemonProcess], how: str) -> None:
    daemon = start_daemon()
    daemon.register("default", daemon.home)
    call(daemon, f"/install mcp --as raw -- {raw_command()}", STORE)
    processes = command_lines(*map(int, call(daemon, "/act.children").split()))
    daemon.kill() if how == "kill" else daemon.stop()
    assert end_within_moments(processes)
    assert set(processes) & {*pids(daemon)}
