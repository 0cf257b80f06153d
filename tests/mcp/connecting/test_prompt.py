"""`stringd prompt` and `/help --brief`: one page, and a tool definition."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.programs import run_stringd


@pytest.mark.requirement("mcp.prompt", "help.brief")
def test_brief_is_one_page(daemon: DaemonProcess, tmp_path: Path) -> None:
    """Both print the same, in at most 3,500 characters, with all topic types."""
    brief = daemon.exec("/help --brief").content.partition("\n---\n")[2]
    printed = run_stringd("prompt", folder=tmp_path)
    assert (printed.returncode, printed.stdout) == (0, f"{brief}\n")
    assert 1_500 < len(brief) <= 3_500
    for word in ("/open", "/edit", "/replace", "/act", "/output", "/answer", "//keys", "\nbash: ", "\nweb: "):
        assert word in brief


@pytest.mark.requirement("mcp.prompt")
def test_tool_definitions(tmp_path: Path) -> None:
    """Both formats define the same tool."""
    openai = json.loads(run_stringd("prompt", "--format", "openai-tool", folder=tmp_path).stdout)
    anthropic = json.loads(run_stringd("prompt", "--format", "anthropic-tool", folder=tmp_path).stdout)
    assert openai["type"] == "function"
    assert openai["function"]["parameters"] == anthropic["input_schema"]
    assert anthropic["name"] == openai["function"]["name"] == "string"
    wrong = run_stringd("prompt", "--format", "yaml", folder=tmp_path)
    assert wrong.returncode == 2
