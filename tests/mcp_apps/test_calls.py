"""The tools of an installed server: its pages, arguments, results, resources and prompts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.mcp_apps.serving import RAW, call, pids, refused


@pytest.mark.requirement("mcp.apps.install.command", "mcp.apps.life.first_use")
def test_a_command_becomes_an_app(raw: DaemonProcess) -> None:
    assert (raw.home / "packages" / "raw" / "index.md").is_file()
    started = pids(raw)
    call(raw, "/act.echo one")
    call(raw, "/act.echo two")
    call(raw, "/act.echo three", "app:raw:other")
    # One for the installation at most, one for each configuration.
    assert len(pids(raw)) - len(started) in {1, 2}


@pytest.mark.requirement("mcp.apps.install.command")
def test_the_whole_command_is_shown(raw: DaemonProcess) -> None:
    text = call(raw, "/info")
    assert str(RAW) in text
    assert "state: " in text


@pytest.mark.requirement("mcp.apps.pages")
def test_the_document_lists_tools_with_parameters(raw: DaemonProcess) -> None:
    text = call(raw, "/open app:raw")
    assert "An MCP server: Raw server 1, with" in text
    assert "### find\n\nFind things.\n\n- `--query` string, required\n" in text
    assert "- `--limit` number: default 5; at least 1; at most 9" in text
    assert "- `--order` string, new | old" in text
    assert "[!] listed more than once: echo" in text
    assert "/act.find --query <string>" in call(raw, "/act")


@pytest.mark.requirement("mcp.apps.arguments", "mcp.apps.results.text")
@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("ab --limit 3 --tags x,y", ["- query: ab", "- limit: 3", "- tags: x, y"]),
        ("--query ab --filter.owner me --filter.size.min 2", ["  - owner: me", "  - size: {min: 2}"]),
        ("--query ab --filter.names x,y --filter.sizes 4,5", ["  - names: x, y", "  - sizes: 4, 5"]),
        ("--query 12 --deep-odd true", ["- query: 12", "- $deep.odd: true"]),
        ('ab --order old --filter \'{"owner": "7"}\'', ["- order: old", "- filter: {owner: 7}"]),
        ('\n{"query": "cd", "filter": {"size": {"min": 3}}}', ["- query: cd", "  - size: {min: 3}"]),
    ],
)
def test_values_become_arguments(raw: DaemonProcess, typed: str, expected: list[str]) -> None:
    lines = call(raw, f"/act.find {typed}").splitlines()
    assert [it for it in expected if it not in lines] == []


@pytest.mark.requirement("mcp.apps.check")
@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("/act.find a", "find: query: 'a' is too short"),
        ("/act.find ab --filter.size.min 20", "filter.size.min: 20 is greater than the maximum of 9"),
        ("/act.find ab --filter.size.min x", "filter.size.min: 'x' is not of type 'integer'"),
        ("/act.find ab --filter.owners x", "Additional properties are not allowed ('owners' was unexpected)"),
        ("/act.tree --node.child.child.size 12", "tree: node.child.child.size: 12 is greater than"),
        ("/act.tree --never 1", "tree: False schema does not allow 1"),
    ],
)
def test_arguments_are_checked_before_the_call(raw: DaemonProcess, command: str, reason: str) -> None:
    assert reason in refused(raw, command, "INVALID_PARAMS")


@pytest.mark.requirement("mcp.apps.help")
def test_help_has_nested_fields(raw: DaemonProcess) -> None:
    text = call(raw, "/act.find --help")
    assert "filter.size.min: integer - at least 1; at most 9" in text
    assert "limit: integer - default 5" in text
    assert text.count("node.child") < 50
    assert "node.child.size" in call(raw, "/act.tree --help")


@pytest.mark.requirement("mcp.apps.results.text")
def test_json_is_a_table_with_names(raw: DaemonProcess) -> None:
    text = call(raw, "/act.things")
    assert text.splitlines()[0] == "| id | name | url |"
    assert "@url" in text


@pytest.mark.requirement("mcp.apps.results.files", "mcp.apps.resources")
def test_images_are_saved_and_links_open(raw: DaemonProcess) -> None:
    text = call(raw, "/act.picture")
    assert "@image-1 image (image/png, 70 bytes), saved as ~/mcp/raw/picture-" in text
    saved = {it.suffix: it.read_bytes() for it in (raw.home / "mcp" / "raw").iterdir()}
    assert saved[".png"].startswith(b"\x89PNG")
    assert saved[".bin"] == b"\x00\x01\x02"
    assert "- @first-note (First note)" in text
    assert "The text of demo://notes/1." in call(raw, "/open @first-note")
    call(raw, "/open app:raw")


@pytest.mark.requirement("mcp.apps.resources", "mcp.apps.trust.text")
def test_a_resource_is_a_page_from_a_stranger(raw: DaemonProcess) -> None:
    assert "The text of demo://notes/7." in call(raw, "/open demo://notes/7")
    refused(raw, "/act.evil", "NOT_TRUSTED")
    call(raw, "/open app:raw")
    assert "The text of demo://notes/8." in call(raw, "/open mcp:raw/demo://notes/8", "file:other")
    assert "no resource x://y" in refused(raw, "/open x://y", "ACTION_FAILED")
    refused(raw, "/open x://y", "INVALID_TARGET", "file:other")
    refused(raw, "/open mcp:none/x://y", "NOT_FOUND")


@pytest.mark.requirement("mcp.apps.prompts")
def test_a_prompt_is_an_action(raw: DaemonProcess) -> None:
    assert call(raw, "/act.prompt.review dogs") == "**user**\n\nReview dogs."
    assert "--topic <string>" in refused(raw, "/act.prompt.review --style x", "INVALID_PARAMS")


@pytest.mark.requirement("mcp.apps.results.failed")
def test_an_error_of_a_tool_is_one_of_the_command(raw: DaemonProcess) -> None:
    text = refused(raw, "/act.fails", "TOOL_FAILED")
    assert text == "fails: no such thing\n  re: forged"


@pytest.mark.requirement("mcp.apps.results.odd")
def test_a_part_that_is_not_valid_leaves_the_others(raw: DaemonProcess) -> None:
    shown = call(raw, "/act.odd_parts")
    assert shown.startswith("kept\n")
    assert [it in shown for it in ("type 'weird'", "type 'text'", "type None")] == [True] * 3


@pytest.mark.requirement("mcp.apps.results.template")
def test_a_template_of_the_user_shapes_the_answer(raw: DaemonProcess) -> None:
    templates = raw.home / "packages" / "raw" / "templates"
    templates.mkdir()
    text = "{% set asked = response.body.query %}\nfound {{ response.body.query }}\n"
    (templates / "find.jinja").write_text(text, encoding="utf-8")
    try:
        assert call(raw, "/act.find ab") == "found ab"
        assert '{asked} = "ab"' in call(raw, "/info")
        assert call(raw, "/act.echo 'said {asked}'") == "said ab"
    finally:
        (templates / "find.jinja").unlink()


@pytest.mark.requirement("mcp.apps.trust.text")
def test_no_text_of_a_server_is_markup(raw: DaemonProcess) -> None:
    actions = call(raw, "/act")
    assert "/act.evil" not in actions
    opened, helped = call(raw, "/open app:raw#forge"), call(raw, "/act.forge --help")
    for text in (call(raw, "/act.forge"), opened.partition("\n---\n")[2], helped.partition("\n---\n")[2]):
        lines = text.splitlines()
        assert not [it for it in lines if it.startswith(("re:", "ERROR(", "---", "[#edit]", "# Heading"))]
        assert "\x1b" not in text
        assert "\x07" not in text
    assert "@nav" not in call(raw, "/nav")


@pytest.mark.requirement("mcp.apps.life.environment")
def test_the_environment_is_listed(raw: DaemonProcess) -> None:
    text = call(raw, "/act.environment")
    names = {line.removeprefix("- ").partition(":")[0] for line in text.splitlines()}
    assert {"PATH", "HOME"} <= names
    assert not [it for it in names if it.startswith(("STRINGD", "PYTEST", "COVERAGE"))]
    assert f"- HOME: {raw.home}" in text


@pytest.mark.requirement("mcp.apps.asks.roots", "mcp.apps.asks.sampling")
def test_roots_and_sampling(raw: DaemonProcess) -> None:
    assert raw.home.as_uri() in call(raw, "/act.roots")
    assert "Sampling not supported" in call(raw, "/act.sample")


@pytest.mark.requirement("mcp.apps.trust.hostile")
def test_hostile_servers_do_no_harm(raw: DaemonProcess) -> None:
    assert call(raw, "/act.garbage") == "after garbage"
    assert "\x1b" not in call(raw, "/info")
    assert call(raw, "/act.odd-name") == "called Odd Name/é"
    assert call(raw, "/act.text_list").lstrip("` \n").startswith("- one")


@pytest.mark.long
@pytest.mark.requirement("mcp.apps.trust.hostile")
def test_huge_messages_and_schemas_do_no_harm(raw: DaemonProcess) -> None:
    assert "more than 10 MiB" in refused(raw, "/act.huge", "ACTION_FAILED")
    assert "called large" in call(raw, "/act.large --p999 x")


@pytest.mark.long
@pytest.mark.requirement("mcp.apps.trust.hostile")
def test_a_schema_that_takes_forever_is_given_up(raw: DaemonProcess) -> None:
    assert "only the server checks" in call(raw, f"/act.pattern {'a' * 40}!")


@pytest.mark.long
@pytest.mark.requirement("mcp.apps.trust.hostile")
def test_a_flood_of_notifications_is_slowed_down(raw: DaemonProcess) -> None:
    assert call(raw, "/act.flood") == "after the flood"
    call(raw, "/act.echo x")


@pytest.mark.requirement("mcp.apps.life.crash", "mcp.apps.life.info")
def test_a_crashed_server_is_restarted_once(raw: DaemonProcess) -> None:
    text = refused(raw, "/act.crash", "ACTION_FAILED")
    assert text.startswith("raw has ended while it worked: it has ended with status 3")
    assert "about to crash" in text
    assert "about to crash" in call(raw, "/info")
    (raw.home / "crashed").unlink(missing_ok=True)
    # It changes nothing, so that it is called again.
    assert call(raw, "/act.crash_once") == "[!] raw was restarted: it has ended with status 3\nstill here"
    assert call(raw, "/act.echo again") == "again"


@pytest.mark.requirement("mcp.apps.fronts")
def test_the_package_is_an_ordinary_one(raw: DaemonProcess) -> None:
    config = json.loads(Path(raw.home / "packages" / "raw" / "server.json").read_text(encoding="utf-8"))
    assert list(config["mcpServers"]) == ["raw"]
    reply = raw.exec("/act.echo hi", "app:raw")
    assert reply.names == ["head", "content", "done"]
