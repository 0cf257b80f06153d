"""Servers whose lists are not what the protocol says: one bad tool costs no other one."""

from __future__ import annotations

from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.mcp_apps.serving import call, install

TEXT = {"type": "string"}
ODD: dict[str, Any] = {
    "yes": True,
    "list": ["a"],
    "text": "none",
    "array": {"type": "array", "items": TEXT},
    "half": {"type": "object", "properties": {"good": TEXT, "bad": 5}, "required": "good"},
}


@pytest.mark.requirement("mcp.apps.pages.odd")
def test_a_bad_schema_costs_no_other_tool(raw: DaemonProcess) -> None:
    tools = [{"name": name, "inputSchema": schema} for name, schema in ODD.items()]
    more = [
        {"name": "untyped", "inputSchema": {"properties": {"good": TEXT}}},
        {"name": "odd", "inputSchema": {"type": "object"}, "annotations": [1], "description": 5, "icons": ""},
        {"name": 5, "inputSchema": {"type": "object"}},
        "no tool",
    ]
    reply = install(raw, "odd", tools=[*tools, *more])
    assert reply.head["ok"], reply.content
    try:
        text = call(raw, "/open app:odd", "app:odd")
        for name in ODD:
            warning = f"[!] the input schema of {name} is not valid, so only the server checks its arguments"
            assert warning in text
            assert call(raw, f"/act.{name}", "app:odd") == f"called {name}"
        assert "schema of untyped" not in text
        assert call(raw, "/act.half --good x", "app:odd") == "called half"
        assert call(raw, "/act.untyped --good x", "app:odd") == "called untyped"
        assert call(raw, "/act.echo still", "app:odd") == "still"
    finally:
        call(raw, "/uninstall odd", "file:main")
