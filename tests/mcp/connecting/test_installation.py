"""`stringd mcp install`: entries in the files of clients, of which nothing else changes."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.programs import run_stringd

CLIENTS = ("claude-code", "claude-desktop", "cursor", "vscode", "codex", "gemini-cli", "zed", "goose")
_SECTIONS = {
    "vscode": "servers",
    "codex": "mcp_servers",
    "zed": "context_servers",
    "goose": "extensions",
}


def _install(
    folder: Path, client: str, *options: str, before: tuple[str, ...] = (), **variables: str
) -> tuple[int, str]:
    env = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / ".config"), "CODEX_HOME": "", **variables}
    done = run_stringd(*before, "mcp", "install", client, *options, folder=folder, env=env)
    return done.returncode, done.stdout + done.stderr


def _parsed(client: str, text: str) -> dict[str, dict[str, dict[str, object]]]:
    parsers: dict[str, Callable[[str], Any]] = {"codex": tomllib.loads, "goose": yaml.safe_load}
    found: dict[str, dict[str, dict[str, object]]] = parsers.get(client, json.loads)(text)
    return found


@pytest.mark.long
@pytest.mark.requirement("mcp.install.print", "mcp.install.write")
def test_each_client_gets_its_file(tmp_path: Path) -> None:
    """Without `--write` nothing is written; with it, the file has the entry, and stays so."""
    for client in CLIENTS:
        code, text = _install(tmp_path, client, "--topics", "file,web")
        assert code == 0, text
        path = Path(text.partition(" reads this from ")[2].partition(";")[0])
        assert not path.exists()
        printed = _parsed(client, text.partition("\n\n")[2])
        code, text = _install(tmp_path, client, "--topics", "file,web", "--write")
        assert code == 0, text
        written = path.read_text()
        assert _parsed(client, written) == printed
        entry = printed[_SECTIONS.get(client, "mcpServers")]["stringd"]
        arguments = entry["args"]
        assert isinstance(arguments, list)
        assert arguments[-3:] == ["mcp", "--topics", "file,web"]
        assert "already configured" in _install(tmp_path, client, "--topics", "file,web", "--write")[1]
        assert path.read_text() == written


_JSON = """// my servers
{
    "theme": "dark", // keep
    /* others */
    "mcpServers": {
        "files": {"command": "npx", "args": ["-y", "x",],}, // mine
    },
    "last": [1, 2,],
}
"""
_TOML = '''model = "gpt"  # mine
text = """
[mcp_servers.stringd]
"""

[mcp_servers.other]
command = "x"
args = [
  "[a]",
]

# the end
[profiles.a]
b = 1
'''
_YAML = """# mine
GOOSE_MODEL: gpt

extensions:
  # the first
  developer:
    enabled: true

# behind
last: 1
"""
_FILES = {"cursor": _JSON, "codex": _TOML, "goose": _YAML}


@pytest.mark.parametrize("client", _FILES)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.requirement("mcp.install.intact")
def test_everything_else_stays(tmp_path: Path, client: str, newline: str) -> None:
    """Comments, commas, order and line ends stay; the file before is kept; a second entry replaces."""
    path = tmp_path / "file"
    before = _FILES[client].replace("\n", newline).encode()
    path.write_bytes(before)
    path.chmod(0o640)
    code, text = _install(tmp_path, client, "--file", str(path), "--write")
    assert code == 0, text
    after = path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "file.before-stringd").read_bytes() == before
    rest = iter(after.splitlines())
    assert all(any(line == it for it in rest) for line in before.splitlines()), after.decode()
    assert b"stringd" in after
    code, text = _install(tmp_path, client, "--file", str(path), "--write", "--user", "ada")
    assert code == 0, text
    changed = path.read_bytes()
    assert b"ada" in changed
    assert (tmp_path / "file.before-stringd").read_bytes() == before
    assert (tmp_path / "file.before-stringd-2").read_bytes() == after
    assert changed.count(b"\n") == changed.count(newline.encode())
    rest = iter(changed.splitlines())
    assert all(any(line == it for it in rest) for line in before.splitlines()), changed.decode()


@pytest.mark.parametrize(
    ("client", "text"),
    [
        ("cursor", "{nonsense"),
        ("cursor", "[]"),
        ("cursor", '{"mcpServers": []}'),
        ("cursor", '{"mcpServers": {}, "mcpServers": {}}'),
        ("cursor", "\xff"),
        ("cursor", "[" * 5000),
        ("codex", "[nonsense"),
        ("codex", "mcp_servers = 5"),
        ("codex", "mcp_servers = {other = {command = 'x'}}"),
        ("goose", "a: [1"),
        ("goose", "extensions: {a: {b: 1}}"),
        ("goose", "- 1"),
        ("goose", "a: &a\n  b: *c"),
    ],
)
@pytest.mark.requirement("mcp.install.undamaged")
def test_unusual_files_are_not_damaged(tmp_path: Path, client: str, text: str) -> None:
    """What can't be changed stays, and the message says why and what to do."""
    path = tmp_path / "file"
    path.write_bytes(text.encode("latin-1"))
    code, said = _install(tmp_path, client, "--file", str(path), "--write")
    assert code == 1
    assert "was not changed" in said
    assert "Traceback" not in said
    assert path.read_bytes() == text.encode("latin-1")
    assert sorted(it.name for it in tmp_path.iterdir()) == ["file"]


@pytest.mark.parametrize("client", _FILES)
@pytest.mark.requirement("mcp.install.undamaged")
def test_empty_files_and_links(tmp_path: Path, client: str) -> None:
    """An empty file is filled; a symbolic link stays one, and what it names is changed."""
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("" if client != "cursor" else " \n")
    link.symlink_to("target")
    code, said = _install(tmp_path, client, "--file", str(link), "--write")
    assert code == 0, said
    assert link.is_symlink()
    assert "stringd" in _parsed(client, target.read_text())[_SECTIONS.get(client, "mcpServers")]
    folder = tmp_path / "folder"
    folder.mkdir()
    code, said = _install(tmp_path, client, "--file", str(folder), "--write")
    assert (code, "is not a file" in said) == (1, True)


@pytest.mark.parametrize(
    ("client", "text"),
    [
        ("cursor", '{"mcpServers": null, "b": 1}'),
        ("cursor", "// mine\n"),
        ("cursor", "\ufeff"),
        ("codex", "\ufeffmodel = 1\r\n"),
        ("codex", "# mine\n"),
        ("goose", "extensions: {} # mine\nlast: 1\n"),
        ("goose", "extensions:\nlast: 1\n"),
        ("goose", "a: 1\nextensions: null"),
        ("goose", "# mine\r\nextensions: ~\r\n"),
        ("goose", "# mine\n"),
        ("goose", "{}\n"),
    ],
)
@pytest.mark.requirement("mcp.install.undamaged")
def test_empty_values_are_filled(tmp_path: Path, client: str, text: str) -> None:
    """Null, empty mappings, comments alone and a byte order mark do not hinder; comments stay."""
    path = tmp_path / "file"
    path.write_bytes(text.encode())
    code, said = _install(tmp_path, client, "--file", str(path), "--write")
    assert code == 0, said
    after = path.read_bytes().decode()
    assert after.startswith("\ufeff") == text.startswith("\ufeff")
    assert ("mine" in after, "last: 1" in after) == ("mine" in text, "last: 1" in text)
    assert "\r\n" not in text or after.count("\n") == after.count("\r\n")
    plain = "\n".join(it for it in after.lstrip("\ufeff").splitlines() if not it.startswith("//"))
    assert "stringd" in _parsed(client, plain)[_SECTIONS.get(client, "mcpServers")]


@pytest.mark.requirement("mcp.install.home", "mcp.install.topics")
def test_a_home_needs_a_user(tmp_path: Path) -> None:
    """`--home` alone would move the home of all clients; neither it nor unknown types are configured."""
    project = tmp_path / "My Shop"
    for options, reason in (
        (("--home", str(project)), "--user my-shop --home"),
        (("--user", "shop", "--home", str(project)), "is not a directory"),
        (("--topics", "file,nope"), "Unknown topic type: nope"),
        (("--topics", ","), "names no topic type"),
    ):
        code, said = _install(tmp_path, "cursor", *options)
        assert code == 2, said
        assert reason in said
        if "--home" in options:
            env = {"HOME": str(tmp_path)}
            served = run_stringd("--port", "1", "mcp", *options, folder=tmp_path, env=env)
            assert (served.returncode, reason in served.stderr) == (2, True), served
    assert list(tmp_path.iterdir()) == []
    project.mkdir()
    code, said = _install(tmp_path, "cursor", "--home", str(project), STRINGD_USER="shop")
    assert json.loads(said.partition("\n\n")[2])["mcpServers"]["stringd"]["args"][-4:] == [
        "--user",
        "shop",
        "--home",
        str(project),
    ]


@pytest.mark.requirement("mcp.install.daemon")
def test_settings_of_the_daemon_are_carried_over(tmp_path: Path) -> None:
    """What selects the daemon becomes part of the entry, and what does not is named."""
    before = ("--port", "4717", "--without", "bash", "--access", "full")
    variables = {"STRINGD_DATA_DIR": "data", "STRINGD_WEB_PRIVATE": "never"}
    code, said = _install(tmp_path, "cursor", before=before, **variables)
    assert code == 0, said
    head, _, shown = said.partition("\n\n")
    arguments = " ".join(json.loads(shown)["mcpServers"]["stringd"]["args"])
    assert f"--port 4717 --data-dir {tmp_path / 'data'} --access full mcp" in arguments
    assert "Not part of it: --without, STRINGD_WEB_PRIVATE." in head
